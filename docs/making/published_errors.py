"""What others state of problems of the zoo, beside what dof has: the second table of docs/explanation/accuracy.md.

`zoo_table.py` puts it there. Sources are numbered as on the page.
"""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """What somebody states: the relative error, and the steps (of Adam + others) or the time that it took.

    `source` is its number on the page.
    """

    problem: str
    method: str
    source: int
    error: str
    cost: str


PUBLISHED = [
    Published("burgers", "self-scaled Broyden, weighted by residual, best of 5", 1, "5.4e-9", "5,000 + 74,000"),
    Published("burgers", "the same, as in the paper", 1, "8.2e-9", "5,000 + 64,000"),
    Published("burgers", "self-scaled Broyden", 2, "1e-7", "50,000"),
    Published("burgers", "BFGS", 2, "1e-5", "50,000"),
    Published("burgers", "L-BFGS", 2, "2e-3", "50,000"),
    Published("allen-cahn", "self-scaled Broyden, weighted by residual", 1, "1.9e-6", "about 400 s"),
    Published("allen-cahn", "PirateNet", 3, "2.2e-5", "–"),
    Published("allen-cahn", "JAX-PI", 3, "5.4e-5", "–"),
    Published("helmholtz", "SPRING", 4, "2.0e-9", "540 s"),
    Published("helmholtz", "self-scaled Broyden", 4, "3.6e-9", "319 s"),
    Published("helmholtz", "natural gradient", 4, "4.2e-9", "251 s"),
    Published("helmholtz", "BFGS", 4, "3.7e-7", "–"),
    Published("helmholtz", "SOAP", 4, "4.2e-4", "1,038 s"),
]
"""By problem, the smallest error first."""

"""The theorems of the paper as counts: flops and temporary memory by XLA, of MLPs that grow in one quantity.

In a computation graph with edges E, nonzero second derivatives ∂²F/∂v_i∂v_l in pairs R and triples T, and N inputs, the
Hessian takes N (|R| + 2 |E|) + ½ |T| multiplications, and DOF at most half of it (Theorem 1). For L layers of one width
DOF keeps the tangents of two of them at a time and the Hessian all: 2 / L of the memory (Theorem 2). The activations
of an MLP are functions of one number each, so that |R| = |T| = number of hidden units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import jax
import numpy as np

from dof.bench.cases.architectures import mlp
from dof.bench.cases.case_table import Case, at_points
from dof.bench.cases.factored_operators import Coefficients, elliptic
from dof.bench.methods.at_a_point import by_hessian
from dof.bench.methods.method_table import METHODS, of_point
from dof.bench.timing import compiler_counts as xla


@dataclass(frozen=True)
class Setting:
    inputs: int = 64
    width: int = 256
    layers: int = 8
    rank: int | None = None
    points: int = 64

    @property
    def sizes(self) -> list[int]:
        return [self.inputs, *[self.width] * (self.layers - 1), 1]

    @property
    def directions(self) -> int:
        return self.inputs if self.rank is None else self.rank


@dataclass
class Count:
    """At one setting: what XLA counts for both methods, and what the theorems say: flops of the Hessian, and the parts
    of its flops and memory that DOF takes, with directions in the place of the inputs."""

    at: int
    hessian_flops: float
    dof_flops: float
    hessian_bytes: int
    dof_bytes: int
    theory_flops: float
    dof_bound: float
    theory_memory: float


@dataclass
class Sweep:
    quantity: str
    title: str
    counts: list[Count] = field(default_factory=list)

    def exponent(self, figure: str) -> float:
        """How the figure grows: the slope of its logarithm, over the larger half of the settings."""
        kept = self.counts[len(self.counts) // 2 :]
        x, y = (np.log([getattr(count, name) for count in kept]) for name in ("at", figure))
        return round(float(np.polyfit(x, y, 1)[0]), 3) + 0.0  # not −0


SWEEPS: dict[str, tuple[str, tuple[int, ...]]] = {
    "inputs": ("number of inputs N", (8, 16, 32, 64, 128, 256)),
    "rank": ("rank of A, of 64 inputs", (4, 8, 16, 32, 64)),
    "layers": ("layers L", (2, 4, 8, 16, 32)),
    "width": ("width of the layers", (32, 64, 128, 256, 512)),
    "points": ("points", (16, 32, 64, 128, 256)),
}


def run_sweeps(report: Callable[[str, str], None]) -> list[Sweep]:
    sweeps = []
    for quantity, (title, values) in SWEEPS.items():
        sweep = Sweep(quantity, title)
        for value in values:
            report(title, str(value))
            sweep.counts.append(count(value, Setting(**{quantity: value})))
        sweeps.append(sweep)
    return sweeps


def count(at: int, setting: Setting) -> Count:
    network = mlp(setting.inputs, setting.width, setting.layers)
    draw = lambda rng: elliptic(rng, 1, setting.inputs, setting.directions)  # noqa: E731
    case = Case("theory", "theory", network, draw, setting.points)
    coefficients, weights, x = case.draw(0, setting.points, np.float32)
    tasks = {
        "hessian": at_points(case, of_point(case, coefficients, by_hessian)),
        "dof": _dof(case, coefficients),
    }
    found = {name: _counts(task, weights, x) for name, task in tasks.items()}
    (hessian_flops, hessian_bytes), (dof_flops, dof_bytes) = found["hessian"], found["dof"]
    theory = 2 * setting.points * hessian_multiplications(setting)
    rank = setting.directions / setting.inputs
    bounds = (rank / 2, 2 / setting.layers * rank)
    return Count(at, hessian_flops, dof_flops, hessian_bytes, dof_bytes, theory, *bounds)


def _dof(case: Case, coefficients: Coefficients) -> Callable[..., Any]:
    return METHODS["dof, at once"].build(case, coefficients, None)


def _counts(task: Callable[..., Any], *args: Any) -> tuple[float, int]:
    compiled = jax.jit(task).lower(*args).compile()
    return xla.flops(compiled), xla.temporary_bytes(compiled)


def hessian_multiplications(setting: Setting) -> float:
    """N (|R| + 2 |E|) + ½ |T| for one point."""
    hidden = sum(setting.sizes[1:-1])
    edges = sum(i * o for i, o in pairwise(setting.sizes)) + hidden
    return setting.inputs * (hidden + 2 * edges) + hidden / 2

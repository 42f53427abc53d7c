"""Puts the primitives of JAX that have records into docs/reference/primitives.md, by family.

    python docs/making/primitives.py

A test compares the page with the records.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import jax

import dof.jaxpr.rules  # noqa: F401
from dof.jaxpr.registry import RECORDS

PAGE = Path(__file__).parents[1] / "reference" / "primitives.md"
MARKS = re.compile(r"(<!-- table: primitives -->\n).*?(<!-- end of table -->)", flags=re.S)
FILES = {
    "constant": ("constant",),
    "linear": ("linear",),
    "piecewise linear": ("piecewise_linear",),
    "indexing": ("indexing",),
    "elementwise": ("elementwise", "elementwise_by_hand"),
    "bilinear": ("elementwise_products", "matrix_products"),
    "reduction": ("products_and_scans",),
    "linear solve": ("linear_solves",),
    "call": ("calls", "shards", "determinant"),
    "loop": ("loops_and_branches",),
    "general": ("general",),
}
"""The families in the order of the table, and the files of `dof.jaxpr.rules` with their rules."""


def members() -> dict[str, list[str]]:
    """The names of the primitives of each family; what is the project's own or a user's is left out."""
    found: dict[str, list[str]] = {family: [] for family in FILES}
    for primitive, record in RECORDS.items():
        if record.family in found:
            found[record.family].append(primitive.name)
    return {family: sorted(names) for family, names in found.items()}


def table() -> str:
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    found = members()
    yield f"{sum(map(len, found.values()))} primitives of JAX {jax.__version__}."
    for family, names in found.items():
        yield f"\n## {family.capitalize()}\n"
        yield ", ".join(f"`{name}`" for name in names)
        for file in FILES[family]:
            yield f"\n`src/dof/jaxpr/rules/{file}.py`:\n\n{_docstring(file)}"


def _docstring(file: str) -> str:
    return (importlib.import_module(f"dof.jaxpr.rules.{file}").__doc__ or "").strip()


def made(page: str) -> str:
    """The text of the page with the primitives as the records have them."""
    return MARKS.sub(lambda found: found[1] + table() + "\n" + found[2], page)


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

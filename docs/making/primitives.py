"""The table of primitives and their families, from the registry of rules."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import jax

from dof.rules import RULES

FILES = {
    "constant": "constant",
    "linear": "linear",
    "piecewise linear": "linear",
    "indexing": "indexing",
    "elementwise": "elementwise",
    "bilinear": "bilinear",
    "reduction": "reductions",
    "call": "calls",
    "loop": "loops",
    "general": "general",
}
"""The family of a rule, in the order of the table, and the file of `dof.rules` with its law."""


def members() -> dict[str, list[str]]:
    """The names of the primitives of each family; what is the project's own or a user's is left out."""
    found: dict[str, list[str]] = {family: [] for family in FILES}
    for primitive, entry in RULES.items():
        if entry.family in found:
            found[entry.family].append(primitive.name)
    return {family: sorted(names) for family, names in found.items()}


def law(family: str) -> str:
    """The docstring of a family's file; its formulas, indented, become code."""
    return importlib.import_module(f"dof.rules.{FILES[family]}").__doc__ or ""


def table() -> str:
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    found = members()
    yield f"{sum(map(len, found.values()))} primitives of JAX {jax.__version__}."
    for family, names in found.items():
        yield f"\n## {family.capitalize()}\n"
        yield f"`src/dof/rules/{FILES[family]}.py`: {law(family)}"
        yield ", ".join(f"`{name}`" for name in names)

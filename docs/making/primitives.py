"""The table of primitives and their families, from the registry of rules."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import jax

import dof.jaxpr.rules  # noqa: F401
from dof.jaxpr.registry import RECORDS

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
    for primitive, entry in RECORDS.items():
        if entry.family in found:
            found[entry.family].append(primitive.name)
    return {family: sorted(names) for family, names in found.items()}


def law(family: str) -> str:
    """What the docstring of a family's file says of it; formulas, indented, become code."""
    paragraphs = (importlib.import_module(f"dof.rules.{FILES[family]}").__doc__ or "").strip().split("\n\n")
    others = tuple(f"{other.capitalize()}:" for other in FILES if other != family)
    return "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith(others))


def table() -> str:
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    found = members()
    yield f"{sum(map(len, found.values()))} primitives of JAX {jax.__version__}."
    for family, names in found.items():
        yield f"\n## {family.capitalize()}\n"
        yield f"{law(family)}\n\nIn `src/dof/rules/{FILES[family]}.py`:\n"
        yield ", ".join(f"`{name}`" for name in names)

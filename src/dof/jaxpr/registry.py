"""Which rule propagates triples through which primitive, and the family the rule belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dof.jax_compat import Primitive, find_primitive

Rule = Callable[..., Sequence[Any]]
"""rule(walk, *operands, **params): an operand is a Triple if it depends on x, else a plain array; so is a result."""


class Entry(NamedTuple):
    rule: Rule
    family: str


RULES: dict[Primitive, Entry] = {}

LINEAR = ("linear", "indexing", "bilinear")
"""Families of which a rule does not sum over directions, as long as a single operand varies."""

WITHOUT_CURVATURE = ("linear", "indexing", "piecewise linear")
"""Families whose second derivative vanishes, whatever varies."""

POINTWISE: set[Primitive] = set()
"""Primitives whose result at one position depends on the operands at that position only."""


STRUCTURED: set[Primitive] = set()
"""Primitives whose rules take triples that know their directions: calls and loops, which only pass them on."""


def family_of(primitive: Primitive) -> str:
    return RULES[primitive].family if primitive in RULES else "general"


def register(primitive: Primitive, family: str, rule: Rule, pointwise: bool = False, structured: bool = False) -> None:
    RULES[primitive] = Entry(rule, family)
    (POINTWISE.add if pointwise else POINTWISE.discard)(primitive)
    (STRUCTURED.add if structured else STRUCTURED.discard)(primitive)


MISSING: set[str] = set()
"""Names that rules were written for and this JAX does not have."""


def register_named(names: str, family: str, rule_for: Callable[[Primitive], Rule], **kinds: bool) -> None:
    """Register all primitives of JAX in the space-separated `names`; those that this JAX lacks are passed over."""
    for name in names.split():
        primitive = find_primitive(name)
        if primitive is None:
            MISSING.add(name)
        else:
            register(primitive, family, rule_for(primitive), **kinds)

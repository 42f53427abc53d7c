"""Which parts of a triple are zero: what loops and branches must agree on before they are built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dof.form import Form
from dof.jax_compat import vary_like
from dof.triple import Triple, triple_or_constant, zeros_stacked

Kind = tuple[bool, bool]
"""(has tangents, has applied)"""


def kind_of(operand: Any) -> Kind:
    is_triple = isinstance(operand, Triple)
    return is_triple and operand.tangents is not None, is_triple and operand.applied is not None


def join(kinds: Sequence[Kind], others: Sequence[Kind]) -> list[Kind]:
    return [(a or c, b or d) for (a, b), (c, d) in zip(kinds, others, strict=True)]


def promote(form: Form, operands: Sequence[Any], kinds: Sequence[Kind]) -> list[Any]:
    """The operands with zeros written out where a part is asked for that they lack."""
    return [_promote(form, operand, kind) for operand, kind in zip(operands, kinds, strict=True)]


def _promote(form: Form, operand: Any, kind: Kind) -> Any:
    x = operand if isinstance(operand, Triple) else Triple(operand, None, None)
    wanted_tangents, wanted_applied = kind
    tangents = zeros_stacked(form.directions, x.value) if wanted_tangents and x.tangents is None else x.tangents
    applied = zeros_stacked(form.channels, x.value) if wanted_applied and x.applied is None else x.applied
    parts = [None if part is None else vary_like(part, x.value) for part in (tangents, applied)]
    return triple_or_constant(x.value, *parts)


def settle(
    form: Form, kinds_after: Callable[[list[Any]], list[Kind]], carry: Sequence[Any]
) -> tuple[list[Any], list[Kind]]:
    """The carry, promoted to what it becomes, and its kinds; `kinds_after` gives those of the next carry."""
    kinds = [kind_of(c) for c in carry]
    while True:
        promoted = promote(form, carry, kinds)
        joined = join(kinds, kinds_after(promoted))
        if joined == kinds:
            return promoted, kinds
        kinds = joined

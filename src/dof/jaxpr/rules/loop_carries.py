"""The types of loop carries: which parts of their triples are zero, and which slots they have.

JAX wants a carry to have one type in every turn, and all branches to return the same types. A carry may start constant
and come to depend on x. So its type is found before the loop is built: propagate types through the body, let what comes
out as a triple go in as one, and repeat until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.jax_compat import vary_like
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.rule_context import SlotContext
from dof.triples.slot_tangents import SlotTangents, embed
from dof.triples.slots import Slots, merge, uniform
from dof.triples.stack_arithmetic import zeros_stacked
from dof.triples.triple import SlotTriple, applied_of, depends_on_x, has_tangents

PATIENCE = 3
"""Rounds after which elements that still come to depend on more directions get all that there are. Convolutions and
shifts add a few directions per round; more rounds would trace the body again and again for little."""


class CarryType(NamedTuple):
    """The type of a loop carry.

    Attributes:
        slots: the slots of its tangents; None if it has none.
        has_applied: whether something is applied to it.
    """

    slots: Slots | None
    has_applied: bool


def type_of(operand: Any) -> CarryType:
    """The type of an operand."""
    return CarryType(operand.tangents.slots if has_tangents(operand) else None, applied_of(operand) is not None)


def join(types: Sequence[CarryType], others: Sequence[CarryType]) -> list[CarryType]:
    """Types that have all parts and directions of both."""
    pairs = zip(types, others, strict=True)
    return [CarryType(_joined(a.slots, b.slots), a.has_applied or b.has_applied) for a, b in pairs]


def _joined(one: Slots | None, two: Slots | None) -> Slots | None:
    if one is None or two is None:
        return two if one is None else one
    return merge([one, two])


def promote(form: QuadraticForm, operands: Sequence[Any], types: Sequence[CarryType]) -> list[Any]:
    """The operands with zeros written out where their type has a part or a direction that they lack."""
    return [_promote(form, operand, type_) for operand, type_ in zip(operands, types, strict=True)]


def _promote(form: QuadraticForm, operand: Any, type_: CarryType) -> Any:
    x = operand if depends_on_x(operand) else SlotTriple(operand, None, None)
    tangents, applied = x.tangents, x.applied
    if type_.slots is not None:
        data = zeros_stacked(len(type_.slots), x.value) if tangents is None else embed(tangents, type_.slots)
        tangents = SlotTangents(vary_like(jnp.asarray(data), x.value), type_.slots)
    if type_.has_applied:
        applied = vary_like(zeros_stacked(form.channels, x.value) if applied is None else applied, x.value)
    return SlotTriple.or_constant(x.value, tangents, applied)


def stable_types(
    form: QuadraticForm, types_after: Callable[[list[Any]], list[CarryType]], carry: Sequence[Any]
) -> list[CarryType]:
    """The types of a loop's carry that one more turn does not change.

    Args:
        form: the quadratic form of the directions.
        types_after: from a carry to the types that it has after one turn.
        carry: the carry before the first turn.
    """
    types = [type_of(c) for c in carry]
    # Types only grow, so this ends; each round traces the body once, on types alone.
    for turn in count():
        joined = join(types, types_after(promote(form, carry, types)))
        if joined == types:
            return types
        types = joined if turn < PATIENCE else _with_all_directions(joined)
    raise AssertionError("unreachable: types only grow, and there are finitely many directions")


def _with_all_directions(types: Sequence[CarryType]) -> list[CarryType]:
    found = np.unique(np.concatenate([t.slots.directions for t in types if t.slots is not None]))
    return [t if t.slots is None else CarryType(uniform(found, t.slots.index.ndim - 1), t.has_applied) for t in types]


def remembered(
    context: SlotContext, programs: Sequence[Any], operands: Sequence[Any], find: Callable[[], list[CarryType]]
) -> list[CarryType]:
    """The types that `find` finds for these programs and operands, computed once in a propagation.

    Without this, the types of an inner loop would be found again in each round of every loop around it.
    """
    # Programs of JAX are equal only if they are identical.
    key = (*map(id, programs), *map(type_of, operands))
    if key not in context.memory:
        context.memory[key] = (programs, find())  # with the programs, so that their identity stays theirs
    return context.memory[key][1]

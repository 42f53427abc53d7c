"""From slots to stacks and back.

A frame is a list of directions: those along which the tangents of a stack are taken, on its leading axis, the same for
all elements. Rules work on stacks (`Triple`), the interpreter carries slots (`SlotTriple`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.triples.slot_tangents import SlotTangents, embed
from dof.triples.slots import Slots, uniform
from dof.triples.triple import SlotTriple, Triple, depends_on_x, has_tangents


def frame_of(operands: Sequence[Any]) -> np.ndarray:
    """All directions that occur in the operands, in increasing order."""
    found = [operand.tangents.slots.directions for operand in operands if has_tangents(operand)]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *found]))


def to_stack(operand: Any, slots: Slots) -> Any:
    """A slot triple as one with stacked tangents, in the order of `slots`; a plain array stays as it is."""
    if not depends_on_x(operand):
        return operand
    tangents = None if operand.tangents is None else embed(operand.tangents, slots)
    return Triple(operand.value, tangents, operand.applied)


def to_slots(result: Any, slots: Slots) -> Any:
    """The inverse of `to_stack`; slots that are empty for all elements are dropped."""
    if not depends_on_x(result):
        return result
    if result.tangents is None:
        return SlotTriple(result.value, None, result.applied)
    # A mode may ask for more slots than some operand fills; carrying them on would cost in every later equation.
    live = (slots.index != EMPTY).reshape(len(slots), -1).any(axis=1)
    # `all` of no slots is true, but tangents have at least one slot: without any they are None.
    if live.all() and len(live):
        return SlotTriple(result.value, SlotTangents(result.tangents, slots), result.applied)
    kept = np.flatnonzero(live)
    tangents = SlotTangents(result.tangents[kept], Slots(slots.index[live])) if live.any() else None
    return SlotTriple.or_constant(result.value, tangents, result.applied)


def in_frame(operand: Any, frame: np.ndarray) -> Any:
    """A slot triple as one with tangents stacked along the directions of a frame."""
    return to_stack(operand, uniform(frame, np.ndim(operand.value))) if depends_on_x(operand) else operand


def out_of_frame(result: Any, frame: np.ndarray) -> Any:
    """The inverse of `in_frame`."""
    return to_slots(result, uniform(frame, np.ndim(result.value))) if depends_on_x(result) else result


def without_tangents(operand: Any) -> Any:
    """A slot triple with zero tangents; a plain array if nothing is applied either."""
    return SlotTriple.or_constant(operand.value, None, operand.applied) if depends_on_x(operand) else operand

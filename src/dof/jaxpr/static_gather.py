"""How directions go through equations that only move elements, by what these do to the positions of the elements.

Where the elements are taken from may be given by an operand. If that is known when tracing, so is where they go.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from dof.jax_compat import Primitive, bind, find_primitive, is_traced
from dof.jaxpr.program import Name, Step
from dof.sparsity.slot_flow import FLOWS, Flow, Index
from dof.triples.slots import NONE
from dof.triples.triple import Triple

MOVING = {find_primitive(name) for name in ("gather", "dynamic_slice", "pad", "tile")} - {None}
PAD = find_primitive("pad")


def is_known(operand: Any) -> bool:
    return not isinstance(operand, Triple) and not is_traced(operand)


def flow_of(primitive: Primitive, operands: Sequence[Any]) -> Flow | None:
    """How directions go through an equation with these operands, if that is known."""
    x, *others = operands
    if primitive not in MOVING:
        return FLOWS.get(primitive)
    if not isinstance(x, Triple) or not (primitive is PAD or all(map(is_known, others))):
        return None
    return Flow(lambda params, operand: (), partial(_moved, primitive, others), one_side_only=True)


def _moved(
    primitive: Primitive, others: Sequence[Any], params: dict[str, Any], indices: list[Index], shapes: Any
) -> list[Index]:
    shape, index = shapes[0], indices[0]
    numbers = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    where = _apply(primitive, [numbers, *([np.int32(NONE)] if primitive is PAD else others)], params)
    full = np.broadcast_to(index, (len(index), *shape)).reshape(len(index), -1)
    return [np.where(where < 0, NONE, full[:, np.maximum(where, 0)])]


def _apply(primitive: Primitive, operands: Sequence[Any], params: dict[str, Any]) -> np.ndarray:
    """On integers, where what is filled in is negative."""
    filled = {**params, "fill_value": NONE} if "fill_value" in params else params
    with jax.ensure_compile_time_eval():
        return np.asarray(bind(primitive, operands, filled)[0])


def names_of_positions(steps: Sequence[Step]) -> set[Name]:
    """The values that say where elements are taken from, and those that these are computed from."""
    wanted: set[Name] = set()
    for step in reversed(steps):
        if step.eqn.primitive in MOVING:
            wanted.update(name for name in step.names if name != step.reads[0])
        elif not wanted.isdisjoint(step.writes):
            wanted.update(step.names)
    return wanted

"""Index operands that are known while tracing: with them it is known where each element's slots go.

A gather, a dynamic slice, a padding or a tiling only moves elements. It is applied to the positions of the elements,
0 … n−1, which shows where each element of the result comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.jax_compat import Primitive, bind, eval_context, find_primitive, is_traced
from dof.jaxpr.dependence import Name
from dof.jaxpr.registry import record_of
from dof.sparsity.slot_flow import Index, Params, SlotFlow, full_index
from dof.triples.triple import depends_on_x

PAD = "pad"


def moving_slots(name: str) -> Callable[[Sequence[Any]], SlotFlow | None]:
    """The slot flow of a primitive that moves elements, by its operands; None if indices are not known."""

    def flow_for(operands: Sequence[Any]) -> SlotFlow | None:
        x, *others = operands
        are_known = not any(depends_on_x(other) or is_traced(other) for other in others)
        # The other operand of `pad` is a value, not an index: it need not be known.
        if not depends_on_x(x) or not (name == PAD or are_known):
            return None

        def moves(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
            return [_moved(name, others, params, indices[0], shapes[0])]

        return SlotFlow(moves, one_operand_only=True)

    return flow_for


def _moved(name: str, others: Sequence[Any], params: Params, index: Index, shape: tuple[int, ...]) -> Index:
    """The index with its elements moved as the primitive moves those of a value."""
    primitive = find_primitive(name)
    assert primitive is not None
    positions = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    # Padding is marked as empty, not filled with the user's value, which might be taken for a position.
    source = _evaluate(primitive, [positions, *([np.int32(EMPTY)] if name == PAD else others)], params)
    full = full_index(index, shape).reshape(len(index), -1)
    return np.where(source < 0, EMPTY, full[:, np.maximum(source, 0)])


def _evaluate(primitive: Primitive, operands: Sequence[Any], params: Params) -> np.ndarray:
    """The primitive on positions, where what is filled in is negative."""
    # An index out of bounds reads the fill value; as a position it must be recognisable.
    filled = {**params, "fill_value": EMPTY} if "fill_value" in params else params
    # Unlike `ensure_compile_time_eval`, this also leaves a `shard_map` that is not compiled.
    with eval_context():
        return np.asarray(bind(primitive, operands, filled)[0])


def names_of_indices(steps: Sequence[Any]) -> set[Name]:
    """The values of a program that are index operands, and those that these are computed from."""
    wanted: set[Name] = set()
    for step in reversed(steps):
        record = record_of(step.eqn.primitive)
        if record is not None and record.has_index_operands:
            wanted.update(name for name in step.names if name != step.reads[0])
        elif not wanted.isdisjoint(step.writes):
            wanted.update(step.names)
    return wanted

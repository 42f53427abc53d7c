"""Tangents that keep, for each element, only the directions it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.array_types import Array, Inexact
from dof.rows import NONE, Rows, distinct, merge, rows, uniform
from dof.triple import Triple, triple_or_constant


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class Tangents:
    """data[slot] is the derivative along the direction that `rows` has for that slot, element by element."""

    data: Inexact[Array, " k *s"]
    rows: Rows = field(metadata={"static": True})


def embed(tangents: Tangents, new: Rows) -> Array:
    """The data in the slots of other rows, which have all directions of these."""
    old = tangents.rows
    if old == new:
        return tangents.data
    same = (new.index[:, None] == old.index[None]) & (new.index[:, None] != NONE)
    if same.size == len(new) * len(old):
        return _select(tangents.data, same.reshape(len(new), len(old)))
    parts = [jnp.where(same[:, slot], tangents.data[slot], 0) for slot in range(len(old))]
    return sum(parts[1:], parts[0])


def _select(data: Array, same: np.ndarray) -> Array:
    """Whole slots moved to other places; an empty one is zero."""
    found = same.any(axis=1)
    moved = jnp.take(data, same.argmax(axis=1), axis=0)
    return moved if found.all() else jnp.where(found.reshape(-1, *[1] * (data.ndim - 1)), moved, 0)


def frame_of(operands: Sequence[Any]) -> np.ndarray:
    """All directions that occur in the operands."""
    found = [operand.tangents.rows.directions for operand in operands if has_tangents(operand)]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *found]))


def has_tangents(operand: Any) -> bool:
    return isinstance(operand, Triple) and operand.tangents is not None


def with_data(operand: Any, new: Rows) -> Any:
    """A triple with plain arrays, in the slots of `new`."""
    if not has_tangents(operand):
        return operand
    return Triple(operand.value, embed(operand.tangents, new), operand.applied)


def with_rows(result: Any, new: Rows) -> Any:
    """A triple with plain arrays, as one that knows what its slots are; those that are empty everywhere are dropped."""
    if not has_tangents(result):
        return result
    live = (new.index != NONE).reshape(len(new), -1).any(axis=1)
    if live.all() and len(live):
        return Triple(result.value, Tangents(result.tangents, new), result.applied)
    tangents = Tangents(result.tangents[np.flatnonzero(live)], Rows(new.index[live])) if live.any() else None
    return triple_or_constant(result.value, tangents, result.applied)


def in_frame(operand: Any, frame: np.ndarray) -> Any:
    return with_data(operand, uniform(frame, np.ndim(operand.value))) if has_tangents(operand) else operand


def out_of_frame(result: Any, frame: np.ndarray) -> Any:
    return with_rows(result, uniform(frame, np.ndim(result.value))) if has_tangents(result) else result


def aligned(operands: Sequence[Any]) -> tuple[list[Any], Rows]:
    """Triples of one shape with plain arrays in common slots, and what these are."""
    common = merge([operand.tangents.rows for operand in operands if has_tangents(operand)])
    return [with_data(operand, common) for operand in operands], common


def sparse(stacked: Any) -> Tangents | None:
    """Tangents that are known when tracing, without the directions in which they vanish; others as they are."""
    numbers = np.arange(len(stacked)).reshape(-1, *[1] * (stacked.ndim - 1))
    if not isinstance(stacked, np.ndarray):
        return Tangents(stacked, Rows(numbers))
    index = distinct(np.where(stacked != 0, numbers, NONE))
    if not index.size:
        return None
    data = np.where(index == NONE, 0, np.take_along_axis(stacked, np.maximum(index, 0), axis=0))
    return Tangents(data.astype(stacked.dtype), rows(index))

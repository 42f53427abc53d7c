"""Tangents that keep, for each element, only the directions it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import Group, entries_by_column
from dof.triples.slots import NONE, Rows, rows, uniform
from dof.triples.triple import Triple, triple_or_constant
from dof.typing import Array, Inexact


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
    if old.is_uniform and new.is_uniform:
        return _select(tangents.data, old.index.ravel(), new.index.ravel())
    same = (new.index[:, None] == old.index[None]) & (new.index[:, None] != NONE)
    if len(old) > FEW:
        return _gather(tangents.data, same)
    parts = [jnp.where(same[:, slot], tangents.data[slot], 0) for slot in range(len(old))]
    return sum(parts[1:], parts[0])


FEW = 8
"""Slots that are looked through one by one: these are fused with what comes next."""


def _gather(data: Array, same: np.ndarray) -> Array:
    """For each new slot of each element the old one that has its direction."""
    shape = (len(same), *data.shape[1:])
    place = np.broadcast_to(same.argmax(axis=1), shape)
    return jnp.where(same.any(axis=1), jnp.take_along_axis(data, place, axis=0), 0)


def _select(data: Array, old: np.ndarray, new: np.ndarray) -> Array:
    """Whole slots moved to other places; one for a direction that is missing is zero."""
    order = np.argsort(old)
    place = order[np.minimum(np.searchsorted(old[order], new), len(old) - 1)]
    found = old[place] == new
    moved = jnp.take(data, place, axis=0)
    return moved if found.all() else jnp.where(found.reshape(-1, *[1] * (data.ndim - 1)), moved, 0)


def frame_of(operands: Sequence[Any]) -> np.ndarray:
    """All directions that occur in the operands."""
    found = [operand.tangents.rows.directions for operand in operands if has_tangents(operand)]
    return np.unique(np.concatenate([np.zeros(0, np.int32), *found]))


def has_tangents(operand: Any) -> bool:
    return isinstance(operand, Triple) and operand.tangents is not None


def without_tangents(operand: Any) -> Any:
    return triple_or_constant(operand.value, None, operand.applied) if isinstance(operand, Triple) else operand


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


def tangents_of_input(groups: Sequence[Group], start: int, shape: tuple[int, ...], dtype: Any) -> Tangents | None:
    """What the directions are on the leaf of x that has this shape and begins at coordinate `start`."""
    data, index = entries_by_column(groups, start, start + int(np.prod(shape)))
    if not data.size:
        return None
    return Tangents(data.reshape(-1, *shape).astype(dtype), rows(index.reshape(-1, *shape)))

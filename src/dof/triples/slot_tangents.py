"""Tangents that keep, for each element, only the directions it depends on."""

from __future__ import annotations

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.triples.slots import Slots
from dof.triples.stack_arithmetic import settled
from dof.typing import Array, Inexact

FEW = 8
"""Up to this many slots, `embed` selects them one by one, which XLA can fuse with what follows; above it, it gathers.
Selecting up to 4 of 16 slots takes half the time if an elementwise step follows; from 8 to 16 slots both take the same,
and 32 slots are gathered in 0.8 of the time (two cores of an AMD EPYC)."""


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class SlotTangents:
    """The tangents of a value of shape s: data[j, element] is its derivative along direction index[j, element].

    Attributes:
        data: (k, *s); zero where a slot is empty.
        slots: which direction each slot of each element holds.
    """

    data: Inexact[Array, " k *s"]
    slots: Slots = field(metadata={"static": True})


def embed(tangents: SlotTangents, new: Slots) -> Array:
    """The data rearranged into the slots of `new`, which must have all directions of the old ones.

    A slot of `new` whose direction is missing becomes zero.
    """
    old = tangents.slots
    if old == new:
        return tangents.data
    if old.is_uniform and new.is_uniform:
        return _move_whole_slots(tangents.data, old.index.ravel(), new.index.ravel())
    # Empty slots match nothing: what a rule left in them, as NaN from inf · 0, is not carried on.
    # Both indices are known, so the comparison costs nothing at run time.
    same = (new.index[:, None] == old.index[None]) & (new.index[:, None] != EMPTY)
    if len(old) > FEW:
        return _gather(tangents.data, same)
    # Computed once, not anew for each new slot, where there are many: a LapNet of 16 electrons then takes 0.86 of the
    # time. Where there are about as many as before, the end of a kernel costs more: twice the time with backflow.
    data = settled(tangents.data) if len(new) > 2 * len(old) else tangents.data
    parts = [jnp.where(same[:, slot], data[slot], 0) for slot in range(len(old))]
    return sum(parts[1:], parts[0])


def _gather(data: Array, same: np.ndarray) -> Array:
    """Fill each new slot from the old one with its direction; same[new, old, element] says which that is."""
    shape = (len(same), *data.shape[1:])
    place = np.broadcast_to(same.argmax(axis=1), shape)
    return jnp.where(same.any(axis=1), jnp.take_along_axis(data, place, axis=0), 0)


def _move_whole_slots(data: Array, old: np.ndarray, new: np.ndarray) -> Array:
    """Slots that are the same for all elements, moved as a whole; zero for a direction that is missing."""
    order = np.argsort(old)
    # A direction that is missing gets some place, at most the last, and is refuted by the comparison.
    place = order[np.minimum(np.searchsorted(old[order], new), len(old) - 1)]
    found = old[place] == new
    moved = jnp.take(data, place, axis=0)
    return moved if found.all() else jnp.where(found.reshape(-1, *[1] * (data.ndim - 1)), moved, 0)

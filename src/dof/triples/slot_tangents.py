"""Tangents that keep, for each element, only the directions it depends on."""

from __future__ import annotations

from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.triples.slots import Slots
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
    return sum(_placed(tangents.data, same, choice) for choice in _choices(same))


def _choices(same: np.ndarray) -> list[np.ndarray]:
    """Choices of one old slot for each new one, which together bring every old slot to where it may have to go.

    The slots of a pair (i, j) of particles in d dimensions hold the d directions of one particle and then those of the
    other. Direction c of any particle can only come from two of them, c and d + c: two choices instead of 2 d slots.
    """
    possible = same.reshape(*same.shape[:2], -1).any(axis=-1)
    count = int(possible.sum(axis=1).max(initial=1))
    ranked = np.argsort(~possible, axis=1, kind="stable")[:, :count].T
    # A new slot with fewer candidates gets some other slot as well, which `same` refuses.
    return list(ranked) if all(_period(c) for c in ranked) else [np.full(len(same), k) for k in range(same.shape[1])]


def _period(choice: np.ndarray) -> int:
    """The length of the run of slots that a choice repeats over and over; 0 if it is no such repetition."""
    wraps = np.flatnonzero(choice == choice[0])[1:2]
    length = int(wraps[0]) if wraps.size else len(choice)
    run = np.arange(choice[0], choice[0] + length)
    return length if len(choice) % length == 0 and (choice.reshape(-1, length) == run).all() else 0


def _placed(data: Array, same: np.ndarray, choice: np.ndarray) -> Array:
    """data[choice] where that slot holds the new slot's direction, zero elsewhere."""
    length = _period(choice)
    run = jnp.broadcast_to(data[choice[0] : choice[0] + length], (len(choice) // length, length, *data.shape[1:]))
    return jnp.where(same[np.arange(len(choice)), choice], run.reshape(len(choice), *data.shape[1:]), 0)


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

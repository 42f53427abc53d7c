"""Tangents that keep, for each element, only the directions it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.triples.slots import Slots, merge
from dof.typing import Array, Inexact

FEW = 8
"""Up to this many slots, or runs of slots, `embed` selects them one by one, which XLA can fuse with what follows; above
it, it gathers. Selecting up to 4 of 16 slots takes half the time if an elementwise step follows; from 8 to 16 slots
both take the same, and 32 slots are gathered in 0.8 of the time (two cores of an AMD EPYC)."""


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
    """The data rearranged into the slots of `new`.

    A slot of `new` whose direction is missing becomes zero. Directions that `new` does not have are left out.
    """
    old = tangents.slots
    if old == new:
        return tangents.data
    if old.is_uniform and new.is_uniform:
        return _move_whole_slots(tangents.data, old.index.ravel(), new.index.ravel())
    # Empty slots match nothing: what a rule left in them, as NaN from inf · 0, is not carried on.
    # Both indices are known, so the comparison costs nothing at run time.
    same = (new.index[:, None] == old.index[None]) & (new.index[:, None] != EMPTY)
    if not same.any():
        return jnp.zeros((len(new), *tangents.data.shape[1:]), tangents.data.dtype)
    length, starts = _runs(same)
    if len(starts) > FEW:
        return _gather(tangents.data, same)
    first, *others = (_placed(tangents.data, same, int(start), length) for start in starts)
    return sum(others, first)


def sum_of_tangents(several: Sequence[SlotTangents]) -> SlotTangents:
    """The sum of tangents of values of one shape, in slots for the directions of all of them."""
    joined = merge([tangents.slots for tangents in several])
    first, *others = (embed(tangents, joined) for tangents in several)
    return SlotTangents(sum(others, first), joined)


def _runs(same: np.ndarray) -> tuple[int, np.ndarray]:
    """(length, starts): runs of old slots, each repeated along the new ones, that bring every slot where it has to go.

    The slots of a pair (i, j) of particles in d dimensions hold the d directions of one particle and then those of the
    other. Direction c of any particle can only come from two of them, c and d + c: two runs instead of 2 d slots.
    """
    new, old = same.shape[:2]
    to, of = np.nonzero(same.reshape(new, old, -1).any(axis=-1))
    lengths = [n for n in range(1, min(new, old) + 1) if new % n == 0]
    found = [(n, np.unique(of - to % n)) for n in lengths]
    return min(((n, s) for n, s in found if s.min() >= 0 and s.max() + n <= old), key=lambda run: len(run[1]))


def _placed(data: Array, same: np.ndarray, start: int, length: int) -> Array:
    """The run of old slots from `start`, repeated along the new slots; zero where another direction is wanted."""
    times = len(same) // length
    run = jnp.broadcast_to(data[start : start + length], (times, length, *data.shape[1:]))
    holds = same[np.arange(len(same)), start + np.arange(len(same)) % length]
    return jnp.where(holds, run.reshape(len(same), *data.shape[1:]), 0)


def _gather(data: Array, same: np.ndarray) -> Array:
    """Fill each new slot from the old one with its direction; same[new, old, element] says which that is."""
    shape = (len(same), *data.shape[1:])
    place = np.broadcast_to(same.argmax(axis=1), shape)
    return jnp.where(same.any(axis=1), jnp.take_along_axis(data, place, axis=0, mode="promise_in_bounds"), 0)


def _move_whole_slots(data: Array, old: np.ndarray, new: np.ndarray) -> Array:
    """Slots that are the same for all elements, moved as a whole; zero for a direction that is missing."""
    order = np.argsort(old)
    # A direction that is missing gets some place, at most the last, and is refuted by the comparison.
    place = order[np.minimum(np.searchsorted(old[order], new), len(old) - 1)]
    found = old[place] == new
    kept = np.flatnonzero(found)
    if len(kept) and _is_run(kept) and _is_run(place[kept]):
        run = data[place[kept[0]] : place[kept[-1]] + 1]
        return jnp.pad(run, [(kept[0], len(new) - 1 - kept[-1]), *[(0, 0)] * (data.ndim - 1)])
    moved = jnp.take(data, place, axis=0, mode="clip")
    return moved if found.all() else jnp.where(found.reshape(-1, *[1] * (data.ndim - 1)), moved, 0)


def _is_run(places: np.ndarray) -> bool:
    """Whether each place is the one after the last: a slice and padding instead of a gather."""
    return bool((np.diff(places) == 1).all())

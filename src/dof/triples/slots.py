"""Slots: which directions each element of a value depends on.

A value keeps k slots per element; each slot holds the number of one direction, or EMPTY. The index of the slots has
shape (k, *b), where b is the shape of the value with size one along every axis along which the directions do not vary.
So it stays small: for a network with 16 blocks of 256 units it has k × 16 numbers, not k × 4096. It is known while
tracing.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import SupportsIndex

import numpy as np

from dof.directions.sparse_rows import EMPTY

_LAST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Slots:
    """The directions in the slots of each element, as an index (k, *b).

    Hashable, because it is part of the static structure of a triple; the index cannot be written to.
    """

    index: np.ndarray

    def __post_init__(self) -> None:
        self.index.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Slots) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _key(self) -> tuple[tuple[int, ...], bytes]:
        return self.index.shape, self.index.tobytes()

    @cached_property
    def _hash(self) -> int:  # JAX hashes static structure at every flatten
        return hash(self._key)

    def __len__(self) -> int:
        return len(self.index)

    @property
    def is_uniform(self) -> bool:
        """Whether all elements of the value have the same directions."""
        return self.index.size == len(self.index)

    @cached_property
    def directions(self) -> np.ndarray:
        """All directions that occur in some slot."""
        found = np.unique(self.index)
        return found[found != EMPTY]

    @property
    def varying_axes(self) -> tuple[int, ...]:
        """The axes of the value along which the directions differ."""
        return tuple(axis - 1 for axis, n in enumerate(self.index.shape) if axis and n > 1)


def compressed(index: np.ndarray) -> Slots:
    """Slots from an index (k, *shape), reduced to size one along each axis along which it does not vary."""
    # A copy, because `Slots` locks its array; of one dtype, because equal slots are found by equal bytes.
    index = np.array(index, np.int32)
    for axis in range(1, index.ndim):
        first = np.take(index, [0], axis) if index.shape[axis] else index
        if index.shape[axis] > 1 and (index == first).all():
            index = first
    return Slots(index)


def uniform(directions: np.ndarray, ndim: int) -> Slots:
    """Slots with the same directions for all elements of a value with `ndim` axes."""
    return Slots(np.array(directions, np.int32).reshape(-1, *[1] * ndim))


def distinct(index: np.ndarray) -> np.ndarray:
    """The index with each direction once per element, in increasing order, and as few slots as the fullest needs."""
    # Empty slots are sorted to the end; duplicates are made empty and sorted away in a second pass.
    ordered = np.sort(np.where(index == EMPTY, _LAST, index), axis=0)
    ordered[1:][ordered[1:] == ordered[:-1]] = _LAST
    ordered = np.sort(ordered, axis=0)
    count = int((ordered != _LAST).sum(axis=0).max(initial=0))
    return np.where(ordered[:count] == _LAST, EMPTY, ordered[:count])


def collapse(slots: Slots, axes: Sequence[SupportsIndex]) -> Slots:
    """The union of the directions along `axes` of the value, which an operation is about to mix."""
    index = slots.index
    varying = [a + 1 for a in map(operator.index, axes) if index.shape[a + 1] > 1]
    if not varying:
        return slots
    kept = [1 if a in varying else n for a, n in enumerate(index.shape)][1:]
    moved = np.moveaxis(index, varying, range(1, 1 + len(varying)))
    return compressed(distinct(moved.reshape(-1, *moved.shape[1 + len(varying) :])).reshape(-1, *kept))


def merge(several: Sequence[Slots]) -> Slots:
    """The union of the directions of several values with the same number of axes, element by element."""
    # The very same object, which `embed` recognises at once.
    if all(slots == several[0] for slots in several):
        return several[0]
    shape = np.broadcast_shapes(*(slots.index.shape[1:] for slots in several))
    full = [np.broadcast_to(slots.index, (len(slots), *shape)) for slots in several]
    return compressed(distinct(np.concatenate(full)))

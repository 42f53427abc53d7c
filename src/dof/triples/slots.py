"""Which directions a value depends on: for each slot of each element, the number of a direction, or −1 for none.

An index has shape (slots, *b) where b has size one along every axis of the value along which it does not vary, so that
it stays small. It is known when tracing.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np

NONE = -1
_LAST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Rows:
    """An index, comparable and hashable: it is part of the static structure of a triple."""

    index: np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and np.array_equal(self.index, other.index)

    def __hash__(self) -> int:
        return hash((self.index.shape, self.index.tobytes()))

    def __len__(self) -> int:
        return len(self.index)

    @property
    def is_uniform(self) -> bool:
        """Whether all elements of the value have the same directions."""
        return self.index.size == len(self.index)

    @property
    def directions(self) -> np.ndarray:
        """All directions that occur."""
        found = np.unique(self.index)
        return found[found != NONE]


def rows(index: np.ndarray) -> Rows:
    """With size one along the axes that it does not vary along."""
    index = np.asarray(index, np.int32)
    for axis in range(1, index.ndim):
        first = np.take(index, [0], axis) if index.shape[axis] else index
        if index.shape[axis] > 1 and (index == first).all():
            index = first
    return Rows(index)


def uniform(directions: np.ndarray, ndim: int) -> Rows:
    return Rows(np.asarray(directions, np.int32).reshape(-1, *[1] * ndim))


def distinct(index: np.ndarray) -> np.ndarray:
    """Each direction once per element, in order, with no more slots than are needed."""
    ordered = np.sort(np.where(index == NONE, _LAST, index), axis=0)
    ordered[1:][ordered[1:] == ordered[:-1]] = _LAST
    ordered = np.sort(ordered, axis=0)
    count = int((ordered != _LAST).sum(axis=0).max(initial=0))
    return np.where(ordered[:count] == _LAST, NONE, ordered[:count])


def collapse(these: Rows, axes: Sequence[SupportsIndex]) -> Rows:
    """The union of the directions along `axes` of the value, which are about to be mixed."""
    index = these.index
    varying = [a + 1 for a in map(operator.index, axes) if index.shape[a + 1] > 1]
    if not varying:
        return these
    kept = [1 if a in varying else n for a, n in enumerate(index.shape)][1:]
    moved = np.moveaxis(index, varying, range(1, 1 + len(varying)))
    return rows(distinct(moved.reshape(-1, *moved.shape[1 + len(varying) :])).reshape(-1, *kept))


def merge(several: Sequence[Rows]) -> Rows:
    """The union of the directions of several values of the same number of axes, element by element."""
    if all(r == several[0] for r in several):
        return several[0]
    shape = np.broadcast_shapes(*(r.index.shape[1:] for r in several))
    return rows(distinct(np.concatenate([np.broadcast_to(r.index, (len(r), *shape)) for r in several])))

"""Where the terms of a sum come from, if every element of what is summed has directions of its own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dof.directions.sparse_rows import EMPTY


class Placement(NamedTuple):
    """Where the entries of a sum come from, by numbers of the flattened (slot, p, s); EMPTY where there is none.

    Attributes:
        rare: (t, P, c), entries of slot t of the result at p that has at most c of them.
        frequent: (h, P, m), entries of the h-th direction at p that has more than c.
        directions: (h, P), these directions; EMPTY where there are fewer.
    """

    rare: np.ndarray
    frequent: np.ndarray
    directions: np.ndarray


class _Groups(NamedTuple):
    """Entries of an index that hold the same direction at the same p, as groups that are sorted by p and direction.

    Attributes:
        p: (groups,).
        direction: (groups,).
        counts: (groups,), how many entries each has.
        places: (entries,), numbers of the flattened (slot, p, s), group by group.
        s: (entries,).
        group: (entries,), the group of each entry.
        turn: (entries,), 0, 1, … in each group.
    """

    p: np.ndarray
    direction: np.ndarray
    counts: np.ndarray
    places: np.ndarray
    s: np.ndarray
    group: np.ndarray
    turn: np.ndarray


def _grouped(index: np.ndarray) -> _Groups:
    slot, p, s = np.nonzero(index != EMPTY)
    order = np.lexsort((s, index[slot, p, s], p))
    slot, p, s = slot[order], p[order], s[order]
    both = np.stack([p, index[slot, p, s]])
    starts = np.flatnonzero(np.diff(both, axis=1, prepend=-2).any(axis=0))
    counts = np.diff(starts, append=len(p))
    group = np.repeat(np.arange(len(starts)), counts)
    places = np.ravel_multi_index((slot, p, s), index.shape)
    return _Groups(both[0, starts], both[1, starts], counts, places, s, group, np.arange(len(p)) - starts[group])


def find_placement(index: np.ndarray, wanted: np.ndarray) -> Placement:
    """Where the directions of `wanted`, (t, P), are found in an index (k, P, m)."""
    found = _grouped(index)
    most = _most_placed(found, wanted.size, index.shape[1:])
    is_frequent = found.counts > most
    of_entry = is_frequent[found.group]
    rare = np.full((*wanted.shape, most), EMPTY)
    target = _slot_of(found, wanted)
    one = found.group[~of_entry]
    rare[target[one], found.p[one], found.turn[~of_entry]] = found.places[~of_entry]
    # Frequent directions are numbered anew at each p; the groups are sorted by p.
    p = found.p[is_frequent]
    rank = np.zeros(len(found.p), int)
    rank[is_frequent] = np.arange(len(p)) - np.searchsorted(p, p)
    height = int(rank.max()) + 1 if len(p) else 0
    frequent, directions = np.full((height, *index.shape[1:]), EMPTY), np.full((height, index.shape[1]), EMPTY)
    many = found.group[of_entry]
    frequent[rank[many], found.p[many], found.s[of_entry]] = found.places[of_entry]
    directions[rank[is_frequent], p] = found.direction[is_frequent]
    return Placement(rare, frequent, directions)


def _slot_of(found: _Groups, wanted: np.ndarray) -> np.ndarray:
    """The slot t of `wanted`, (t, P), that holds the direction of each group at its p."""
    # By sorting: to compare all groups with all slots would take gigabytes for 20,000 coordinates.
    width = int(wanted.max(initial=EMPTY)) + 2  # of the numbers EMPTY, 0, 1, … of directions at one p
    keys = (np.arange(wanted.shape[1]) * width + wanted).ravel()
    order = np.argsort(keys)
    return order[np.searchsorted(keys, found.p * width + found.direction, sorter=order)] // wanted.shape[1]


def _most_placed(found: _Groups, size: int, shape: tuple[int, ...]) -> int:
    """How many entries of a direction are placed one by one; more than that are summed first. The least work wins."""

    def work(most: int) -> int:
        height = int(np.bincount(found.p[found.counts > most], minlength=1).max())
        return size * most + height * shape[0] * shape[1]

    return min([1, *np.unique(found.counts).tolist()], key=work)

"""Directions shared by several operators, so that one propagation serves them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dof.directions.factor import SecondOrderPart
from dof.directions.known_while_tracing import concatenate, is_known
from dof.directions.sparse_rows import RowBlock, SparseRows
from dof.typing import Array

SAME_TO = 14
"""Digits to which two unit directions must agree to be one. Eigenvectors in float64 are right to about 15."""


class BlockCoupling(NamedTuple):
    """Blocks of the form of one channel.

    Attributes:
        blocks: m blocks (m, b, b), one after the other along the diagonal.
        channel: the number of the channel.
        start: the direction at which the first block begins.
    """

    blocks: Array
    channel: int
    start: int


class SharedDirections(NamedTuple):
    """The directions of several operators, and how each operator sums over them.

    Attributes:
        rows: all r directions, in blocks of rows of L; their order is that of the tangents.
        weights: the diagonals of the forms, (c, r), one row for each operator (channel).
        couplings: blocks that are added to these diagonals.
    """

    rows: tuple[RowBlock, ...]
    weights: Array
    couplings: tuple[BlockCoupling, ...]

    @property
    def size(self) -> int:
        """How many directions there are."""
        return sum(map(len, self.rows))

    def along_coordinates(self) -> dict[int, tuple[int, float]]:
        """For each coordinate i that some direction k is a multiple of: (k, scale) with direction k = scale · e_i."""
        found: dict[int, tuple[int, float]] = {}
        first = 0
        for block in self.rows:
            for k, (columns, entries) in enumerate(block.each() if isinstance(block, SparseRows) else []):
                if len(columns) == 1:
                    found.setdefault(int(columns[0]), (first + k, float(entries[0])))
            first += len(block)
        return found


def share_directions(parts: Sequence[SecondOrderPart]) -> SharedDirections:
    """Join the directions of all parts, each kept once, with one channel for each part."""
    table = _DirectionTable()
    # A single operator keeps its directions as they stand: users of `dof.Factored` find their own rows in the tangents.
    alone = sum(part.size > 0 for part in parts) <= 1
    placed = [table.append(part) if alone else table.place(part) for part in parts]
    channels = [_scattered(table.size, where, weights) for where, weights in placed]
    couplings = tuple(
        BlockCoupling(blocks, channel, int(where[start]))
        for channel, (part, (where, _)) in enumerate(zip(parts, placed, strict=True))
        for start, blocks in part.couplings
    )
    return SharedDirections(tuple(table.rows), concatenate([c[None] for c in channels]), couplings)


def _scattered(size: int, where: np.ndarray, weights: Array) -> Array:
    """Sum weights by place: entry k of the result, (size,), is Σ weights[m] over all m with where[m] = k."""
    if len(where) == size and (where == np.arange(size)).all():
        return weights
    if is_known(weights):
        channel = np.zeros(size)
        # Not `channel[where] += weights`, which counts only one of several weights for the same place.
        np.add.at(channel, where, weights)
        return channel
    # Gathers and sums instead of a scatter: they need no framework, and duplicates are rare (the loop runs once).
    order, turn = _turns(where)
    total = None
    for n in range(int(turn.max(initial=-1)) + 1):
        source, there = np.zeros(size, int), np.zeros(size, bool)
        source[where[order[turn == n]]], there[where[order[turn == n]]] = order[turn == n], True
        part = weights[source] * there
        total = part if total is None else total + part
    return np.zeros(size) if total is None else total


def _turns(where: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(order, turn): positions sorted by their entry, and for each of these how many equal entries come before it."""
    order = np.argsort(where, kind="stable")
    ordered = where[order]
    # In a sorted array, searchsorted finds the first of equal entries.
    return order, np.arange(len(where)) - np.searchsorted(ordered, ordered)


class _DirectionTable:
    """The directions of all parts so far; those that differ in length or sign only are kept once."""

    def __init__(self) -> None:
        self.rows: list[RowBlock] = []
        self.number_of: dict[bytes, int] = {}
        self.size = 0

    def append(self, part: SecondOrderPart) -> tuple[np.ndarray, Array]:
        """Add all directions of a part as they are; return (their numbers, their weights)."""
        return np.concatenate([np.zeros(0, int), *map(self._append, part.rows)]), part.weights

    def place(self, part: SecondOrderPart) -> tuple[np.ndarray, Array]:
        """Add the directions of a part that are not in the table yet.

        Returns:
            (number of the direction that stands for each row, weights for these directions). A row of length ℓ that is
            ℓ times a unit direction of the table has its weight multiplied by ℓ².
        """
        where, scales = [np.zeros(0, int)], [np.zeros(0)]
        for rows in part.rows:
            units, lengths = _units(rows) if isinstance(rows, SparseRows) else ([], np.ones(len(rows)))
            # Traced rows cannot be compared, and a coupling needs its directions side by side.
            if not units or (part.couplings and self._would_scatter(units)):
                where.append(self._append(rows))
                scales.append(np.ones(len(rows)))
            else:
                where.append(np.array([self._place_unit(unit) for unit in units], dtype=int))
                # Couplings need no factor: they are between coordinates, whose rows have length one already.
                scales.append(lengths**2)
        return np.concatenate(where), part.weights * np.concatenate(scales)

    def _would_scatter(self, units: Sequence[SparseRows]) -> bool:
        """Whether some directions are in the table, but not all of them in one run, as a coupling needs them."""
        met = [self.number_of.get(_key(unit)) for unit in units]
        return any(m is not None for m in met) and met != list(range(met[0] or 0, (met[0] or 0) + len(met)))

    def _place_unit(self, unit: SparseRows) -> int:
        key = _key(unit)
        if key not in self.number_of:
            self.number_of[key] = self.size
            self._append(unit)
        return self.number_of[key]

    def _append(self, rows: RowBlock) -> np.ndarray:
        self.rows.append(rows)
        self.size += len(rows)
        return np.arange(self.size - len(rows), self.size)


def _units(rows: SparseRows) -> tuple[list[SparseRows], np.ndarray]:
    """(rows scaled to length one, their lengths). Signs are aligned too: along −u the second derivative is the same."""
    each = rows.each()
    lengths = np.array([np.linalg.norm(entries) for _, entries in each])
    # A row of zeros has no first entry to take the sign of, and stays as it is.
    units = [
        SparseRows(1, rows.n, 0 * columns, columns, entries / (length * np.sign(entries[0])) if length else entries)
        for (columns, entries), length in zip(each, lengths, strict=True)
    ]
    return units, lengths


def _key(unit: SparseRows) -> bytes:
    """Equal for directions that differ by rounding only."""
    kept = np.round(unit.entry, SAME_TO) != 0
    return unit.column[kept].tobytes() + np.round(unit.entry[kept], SAME_TO).tobytes()

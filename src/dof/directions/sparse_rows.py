"""The rows of L: directions along which second derivatives are taken.

Those that are known when tracing are kept by their entries that are not zero: a hundred thousand coordinate directions
are a hundred thousand numbers, not their square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from dof.triples.slots import NONE
from dof.typing import Array


@dataclass(frozen=True)
class KnownRows:
    """`count` rows over n columns; entry[m] stands in row[m], column[m], and everything else is zero."""

    count: int
    n: int
    row: np.ndarray
    column: np.ndarray
    entry: np.ndarray

    def __len__(self) -> int:
        return self.count

    def without_zeros(self) -> KnownRows:
        kept = self.entry != 0
        return KnownRows(self.count, self.n, self.row[kept], self.column[kept], self.entry[kept])

    def columns(self, start: int, stop: int) -> KnownRows:
        inside = (self.column >= start) & (self.column < stop)
        return KnownRows(self.count, stop - start, self.row[inside], self.column[inside] - start, self.entry[inside])

    def slots(self) -> tuple[np.ndarray, np.ndarray]:
        """(entries, rows they stand in) for each column, both of shape (slots, n); row NONE where a slot is empty."""
        order = np.lexsort((self.row, self.column))
        column = self.column[order]
        place = np.arange(len(column)) - np.searchsorted(column, column)
        shape = (int(place.max(initial=-1)) + 1, self.n)
        entries, index = np.zeros(shape), np.full(shape, NONE)
        entries[place, column], index[place, column] = self.entry[order], self.row[order]
        return entries, index

    def dense(self) -> np.ndarray:
        rows = np.zeros((self.count, self.n))
        rows[self.row, self.column] = self.entry
        return rows

    def padded(self) -> tuple[np.ndarray, np.ndarray]:
        """(entries, their columns) for each row, of shape (count, most entries of a row), with zeros at the end."""
        turned = KnownRows(self.n, self.count, self.column, self.row, self.entry)
        entries, columns = turned.slots()
        return entries.T, np.maximum(columns, 0).T

    def lines(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(columns, entries) of each row."""
        order = np.lexsort((self.column, self.row))
        ends = np.searchsorted(self.row[order], np.arange(1, self.count))
        lines = zip(np.split(self.column[order], ends), np.split(self.entry[order], ends), strict=True)
        return list(lines) if self.count else []


Group = KnownRows | Array
"""Some of the rows: known ones, or an array (k, n) that is traced."""


def group(rows: Array) -> Group:
    """Rows (k, n): by their entries if they are known."""
    if not isinstance(rows, np.ndarray):
        return rows
    row, column = np.nonzero(rows)
    return KnownRows(len(rows), rows.shape[1], row, column, rows[row, column])


def scaled_coordinates(scales: np.ndarray) -> KnownRows:
    """A row for each coordinate that is scaled by something else than zero."""
    (kept,) = np.nonzero(scales)
    return KnownRows(len(kept), len(scales), np.arange(len(kept)), kept, scales[kept])


def count(groups: Sequence[Group]) -> int:
    return sum(map(len, groups))


def entries_by_column(groups: Sequence[Group], start: int, stop: int) -> tuple[Array, np.ndarray]:
    """(entries, rows they stand in) of the columns start … stop − 1, of shape (slots, stop − start)."""
    nothing = np.zeros((0, stop - start))
    entries: list[Array] = [nothing]
    indices, first = [nothing.astype(int)], 0
    for rows in groups:
        if isinstance(rows, KnownRows):
            values, index = rows.columns(start, stop).slots()
        else:
            values = rows[:, start:stop]
            index = np.broadcast_to(np.arange(len(rows))[:, None], values.shape)
        entries.append(values)
        indices.append(np.where(index == NONE, NONE, index + first))
        first += len(rows)
    are_known = all(isinstance(values, np.ndarray) for values in entries)
    return (np if are_known else jnp).concatenate(entries), np.concatenate(indices)

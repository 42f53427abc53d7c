"""The rows of L in A = Lᵀ Q L: directions along which tangents are taken.

Rows that are known while tracing are kept by their nonzero entries: 100,000 coordinate directions are 100,000 numbers,
not 100,000².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dof.directions.known_while_tracing import concatenate
from dof.typing import Array

EMPTY = -1
"""The number of no direction: marks a slot of an element that holds nothing."""


@dataclass(frozen=True)
class SparseRows:
    """`count` rows over `n` coordinates: entry[m] stands in row[m], column[m]; everything else is zero."""

    count: int
    n: int
    row: np.ndarray
    column: np.ndarray
    entry: np.ndarray

    def __len__(self) -> int:
        return self.count

    def without_zeros(self) -> SparseRows:
        """The same rows, without stored entries that are zero."""
        kept = self.entry != 0
        return SparseRows(self.count, self.n, self.row[kept], self.column[kept], self.entry[kept])

    def columns(self, start: int, stop: int) -> SparseRows:
        """The rows restricted to the columns start … stop − 1."""
        inside = (self.column >= start) & (self.column < stop)
        return SparseRows(self.count, stop - start, self.row[inside], self.column[inside] - start, self.entry[inside])

    def by_column(self) -> tuple[np.ndarray, np.ndarray]:
        """Entries and the rows they stand in, column by column.

        Returns:
            (entries, rows), both (k, n) with k the largest number of entries in a column; rows are EMPTY where a
            column has fewer.
        """
        # Sorting by column and then by row numbers the entries of each column without a loop over columns.
        # np.lexsort takes its last key first.
        order = np.lexsort((self.row, self.column))
        column = self.column[order]
        # searchsorted finds the first of equal entries, so that the difference counts 0, 1, … in each column.
        place = np.arange(len(column)) - np.searchsorted(column, column)
        shape = (int(place.max(initial=-1)) + 1, self.n)
        entries, rows = np.zeros(shape), np.full(shape, EMPTY)
        entries[place, column], rows[place, column] = self.entry[order], self.row[order]
        return entries, rows

    def dense(self) -> np.ndarray:
        """The rows as an array (count, n)."""
        rows = np.zeros((self.count, self.n))
        rows[self.row, self.column] = self.entry
        return rows

    def padded(self) -> tuple[np.ndarray, np.ndarray]:
        """(entries, columns), both (count, k) with k the largest number of entries in a row; zeros at the end."""
        transposed = SparseRows(self.n, self.count, self.column, self.row, self.entry)
        entries, columns = transposed.by_column()
        # What fills up a row is entry 0 in column 0: it may be added to a row, but must not be written into it.
        return entries.T, np.maximum(columns, 0).T

    def each(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(columns, entries) of each row, in the order of the columns."""
        order = np.lexsort((self.column, self.row))
        ends = np.searchsorted(self.row[order], np.arange(1, self.count))
        rows = zip(np.split(self.column[order], ends), np.split(self.entry[order], ends), strict=True)
        # Of no rows np.split still makes one piece.
        return list(rows) if self.count else []


RowBlock = SparseRows | Array
"""Some of the rows of L: sparse ones that are known while tracing, or an array (k, n) that is not."""


def row_block(rows: Array) -> RowBlock:
    """Rows (k, n): as sparse rows if they are known while tracing."""
    if not isinstance(rows, np.ndarray):
        return rows
    row, column = np.nonzero(rows)
    return SparseRows(len(rows), rows.shape[1], row, column, rows[row, column])


def scaled_coordinates(scales: np.ndarray) -> SparseRows:
    """The rows scales_i e_i, for each coordinate i whose scale is not zero."""
    (kept,) = np.nonzero(scales)
    return SparseRows(len(kept), len(scales), np.arange(len(kept)), kept, scales[kept])


def dense_rows(blocks: Sequence[RowBlock]) -> Array:
    """All rows as one array (r, n)."""
    return concatenate([block.dense() if isinstance(block, SparseRows) else block for block in blocks])


def entries_by_column(blocks: Sequence[RowBlock], start: int, stop: int) -> tuple[Array, np.ndarray]:
    """The entries of the columns start … stop − 1 of all rows, and the rows they stand in, both (k, stop − start)."""
    # Without any block there is still an array to concatenate.
    nothing = np.zeros((0, stop - start))
    entries: list[Array] = [nothing]
    rows, first = [nothing.astype(int)], 0
    for block in blocks:
        if isinstance(block, SparseRows):
            values, own = block.columns(start, stop).by_column()
        else:
            values = block[:, start:stop]
            own = np.broadcast_to(np.arange(len(block))[:, None], values.shape)
        entries.append(values)
        rows.append(np.where(own == EMPTY, EMPTY, own + first))
        first += len(block)
    return concatenate(entries), np.concatenate(rows)

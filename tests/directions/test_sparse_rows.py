"""Rows kept by their nonzero entries, against the dense array that they stand for."""

import numpy as np
import pytest

from dof.directions.sparse_rows import (
    EMPTY,
    SparseRows,
    dense_rows,
    entries_by_column,
    row_block,
    scaled_coordinates,
)

SEEDS = range(4)


def random_rows(rng, count=5, n=7, share=0.4):
    """A dense array with zeros, empty rows and empty columns, and the same as sparse rows in a random order."""
    dense = rng.normal(size=(count, n)) * (rng.random((count, n)) < share)
    dense[rng.integers(count)] = 0
    dense[:, rng.integers(n)] = 0
    row, column = np.nonzero(dense)
    order = rng.permutation(len(row))
    return dense, SparseRows(count, n, row[order], column[order], dense[row, column][order])


@pytest.mark.parametrize("seed", SEEDS)
def test_dense_and_row_block_are_inverse(seed):
    dense, rows = random_rows(np.random.default_rng(seed))
    np.testing.assert_array_equal(rows.dense(), dense)
    block = row_block(dense)
    assert isinstance(block, SparseRows) and len(block) == len(dense)
    np.testing.assert_array_equal(block.dense(), dense)


@pytest.mark.parametrize("seed", SEEDS)
def test_stored_zeros_can_be_left_out(seed):
    rng = np.random.default_rng(seed)
    dense, rows = random_rows(rng)
    padded = SparseRows(
        5, 7, np.append(rows.row, [0, 4]), np.append(rows.column, [6, 6]), np.append(rows.entry, [0, 0])
    )
    assert len(padded.without_zeros().entry) == np.count_nonzero(dense)
    np.testing.assert_array_equal(padded.without_zeros().dense(), dense)


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_are_a_slice(seed):
    dense, rows = random_rows(np.random.default_rng(seed))
    for start in range(8):
        for stop in range(start, 8):
            np.testing.assert_array_equal(rows.columns(start, stop).dense(), dense[:, start:stop])


@pytest.mark.parametrize("seed", SEEDS)
def test_by_column_has_the_entries_of_each_column_in_the_order_of_the_rows(seed):
    dense, rows = random_rows(np.random.default_rng(seed))
    entries, numbers = rows.by_column()
    assert entries.shape == numbers.shape == (np.count_nonzero(dense, axis=0).max(), 7)
    for column in range(7):
        (expected,) = np.nonzero(dense[:, column])
        there = numbers[:, column] != EMPTY
        np.testing.assert_array_equal(numbers[there, column], expected)
        np.testing.assert_array_equal(entries[there, column], dense[expected, column])
        assert not entries[~there, column].any()


@pytest.mark.parametrize("seed", SEEDS)
def test_padded_and_each_have_the_entries_of_each_row(seed):
    dense, rows = random_rows(np.random.default_rng(seed))
    entries, columns = rows.padded()
    scattered = np.zeros_like(dense)
    np.add.at(scattered, (np.arange(len(dense))[:, None], columns), entries)
    np.testing.assert_array_equal(scattered, dense)
    assert entries.shape[1] == np.count_nonzero(dense, axis=1).max()
    for (own_columns, own_entries), row in zip(rows.each(), dense, strict=True):
        np.testing.assert_array_equal(own_columns, np.flatnonzero(row))
        np.testing.assert_array_equal(own_entries, row[own_columns])


def test_no_rows_at_all():
    rows = row_block(np.zeros((0, 4)))
    assert isinstance(rows, SparseRows)
    assert rows.each() == [] and rows.dense().shape == (0, 4)
    assert rows.by_column()[0].shape == (0, 4) and rows.padded()[0].shape == (0, 0)


def test_scaled_coordinates_leave_out_those_with_scale_zero():
    scales = np.array([2.0, 0.0, -3.0])
    np.testing.assert_array_equal(scaled_coordinates(scales).dense(), np.diag(scales)[[0, 2]])


@pytest.mark.parametrize("seed", SEEDS)
def test_entries_by_column_of_several_blocks_are_the_columns_of_the_dense_rows(seed):
    rng = np.random.default_rng(seed)
    blocks = [random_rows(rng)[1], rng.normal(size=(2, 7)), random_rows(rng, count=3)[1]]
    dense = dense_rows(blocks)
    assert dense.shape == (10, 7)
    for start, stop in ((0, 7), (2, 5), (6, 7), (3, 3)):
        entries, numbers = entries_by_column(blocks, start, stop)
        found = np.zeros((11, stop - start))  # the last row takes what belongs to no direction
        np.add.at(found, (numbers, np.broadcast_to(np.arange(stop - start), numbers.shape)), entries)
        np.testing.assert_array_equal(found[:-1], dense[:, start:stop])
        assert not found[EMPTY].any()

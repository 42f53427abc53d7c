"""A = Lᵀ Q L: what `factor` takes apart, put together again, is the A that went in."""

import jax.numpy as jnp
import numpy as np
import pytest

from dof.directions.factor import SecondOrderPart, factor
from dof.directions.matrix_forms import Blocks, Diagonal, LowRank, dense
from dof.directions.sparse_rows import SparseRows, dense_rows

SEEDS = range(4)
N = 6
ROUNDING = float(np.finfo(np.float64).eps)
at_run_time = jnp.asarray
"""Arrays of JAX stand for what is known at run time only."""


def symmetric(rng, *shape):
    blocks = rng.normal(size=(*shape, shape[-1]))
    return blocks + np.swapaxes(blocks, -1, -2)


def put_together(part: SecondOrderPart) -> np.ndarray:
    """Lᵀ Q L."""
    rows = np.asarray(dense_rows(part.rows))
    q = np.diag(np.asarray(part.weights))
    for start, blocks in part.couplings:
        for n, block in enumerate(np.asarray(blocks)):
            place = slice(start + n * len(block), start + (n + 1) * len(block))
            q[place, place] += block
    return rows.T @ q @ rows


def matrices(rng, convert=np.asarray):
    """One A of each form, indefinite."""
    return {
        "diagonal": [Diagonal(convert(rng.normal(size=N)))],
        "two diagonals": [Diagonal(convert(rng.normal(size=N))), Diagonal(convert(rng.normal(size=N)))],
        "dense": [Blocks((convert(symmetric(rng, 1, N)),), ROUNDING)],
        "blocks": [Blocks((convert(symmetric(rng, 3, 2)),), ROUNDING)],
        "blocks of two sizes": [Blocks((convert(symmetric(rng, 1, 4)), convert(symmetric(rng, 2, 1))), ROUNDING)],
        "low rank": [LowRank(convert(rng.normal(size=(2, N))), convert(np.array([1.0, -1.0])))],
        "rows beyond the rank": [LowRank(convert(rng.normal(size=(9, N))), convert(rng.normal(size=9)))],
        "blocks and diagonal": [
            Blocks((convert(symmetric(rng, 3, 2)),), ROUNDING),
            Diagonal(convert(rng.normal(size=N))),
        ],
        "all": [
            Blocks((convert(symmetric(rng, 2, 3)),), ROUNDING),
            Diagonal(convert(rng.normal(size=N))),
            LowRank(convert(rng.normal(size=(2, N))), convert(rng.normal(size=2))),
        ],
    }


NAMES = list(matrices(np.random.default_rng(0)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_known_matrix_is_reproduced_with_as_many_directions_as_its_rank(name, seed):
    terms = matrices(np.random.default_rng(seed))[name]
    a, part = sum(map(dense, terms)), factor(terms, N)
    np.testing.assert_allclose(put_together(part), a, atol=1e-12)
    assert all(isinstance(block, SparseRows) for block in part.rows) and not part.couplings
    assert sum(map(len, part.rows)) == len(part.weights) == np.linalg.matrix_rank(a)


@pytest.mark.parametrize("name", NAMES)
def test_a_matrix_known_at_run_time_is_reproduced_and_not_factored(name):
    terms = matrices(np.random.default_rng(1), at_run_time)[name]
    part = factor(terms, N)
    np.testing.assert_allclose(put_together(part), sum(np.asarray(dense(t)) for t in terms), atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_known_and_unknown_terms_together(seed):
    rng = np.random.default_rng(seed)
    known, unknown = matrices(rng), matrices(rng, at_run_time)
    for first in NAMES:
        for second in NAMES:
            terms = [*known[first], *unknown[second]]
            expected = sum(np.asarray(dense(t)) for t in terms)
            np.testing.assert_allclose(put_together(factor(terms, N)), expected, atol=1e-12)


def test_no_terms_and_zero_terms_have_no_directions():
    nothing = [[], [Diagonal(np.zeros(N))], [Blocks((np.zeros((2, 3, 3)),), ROUNDING)]]
    for terms in nothing:
        part = factor(terms, N)
        assert sum(map(len, part.rows)) == len(part.weights) == 0
        assert put_together(part).shape == (N, N)


@pytest.mark.parametrize("rank", range(1, N))
def test_a_dense_matrix_of_lower_rank_has_fewer_directions(rank):
    rng = np.random.default_rng(rank)
    rows = rng.normal(size=(rank, N))
    a = rows.T @ np.diag(rng.choice([-1.0, 1.0], rank)) @ rows
    part = factor([Blocks((a[None],), ROUNDING)], N)
    np.testing.assert_allclose(put_together(part), a, atol=1e-12)
    assert len(part.weights) == rank


def test_a_small_coefficient_beside_a_large_one_is_no_rounding_error():
    a = np.diag([1e10, 1e-10]) + np.array([[0, 1.0], [1.0, 0]]) * 1e-3
    part = factor([Blocks((a[None],), ROUNDING)], 2)
    np.testing.assert_allclose(put_together(part), a, rtol=1e-10)


def test_coordinates_that_are_not_coupled_are_in_no_direction_together():
    a = np.zeros((5, 5))
    a[np.ix_([0, 3], [0, 3])] = [[2.0, 1.0], [1.0, -1.0]]
    a[np.ix_([1, 4], [1, 4])] = [[1.0, 0.5], [0.5, 1.0]]
    part = factor([Blocks((a[None],), ROUNDING)], 5)
    np.testing.assert_allclose(put_together(part), a, atol=1e-14)
    (rows,) = part.rows
    assert isinstance(rows, SparseRows)
    assert {tuple(columns) for columns, _ in rows.each()} == {(0, 3), (1, 4)}

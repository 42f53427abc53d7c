"""Directions of several operators together: each channel reproduces its own A, and no direction is there twice."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.directions.factor import SecondOrderPart, factor
from dof.directions.matrix_forms import Blocks, Diagonal, LowRank, dense
from dof.directions.shared import SharedDirections, share_directions
from dof.directions.sparse_rows import dense_rows, row_block

SEEDS = range(4)
N = 5
ROUNDING = float(np.finfo(np.float64).eps)
at_run_time = jnp.asarray
"""Arrays of JAX stand for what is known at run time only."""


def matrix_of_channel(shared: SharedDirections, channel: int) -> np.ndarray:
    """Lᵀ Q L with the Q of one channel."""
    rows = np.asarray(dense_rows(shared.rows))
    q = np.diag(np.asarray(shared.weights)[channel])
    for coupling in shared.couplings:
        for n, block in enumerate(np.asarray(coupling.blocks) if coupling.channel == channel else ()):
            place = slice(coupling.start + n * len(block), coupling.start + (n + 1) * len(block))
            q[place, place] += block
    return rows.T @ q @ rows


def number_of_directions(shared: SharedDirections) -> int:
    return shared.weights.shape[1]


def random_term(rng):
    """Some A of some form, known or not."""
    convert = at_run_time if rng.random() < 0.5 else np.asarray
    rows = rng.integers(-1, 2, size=(rng.integers(1, 8), N)) * rng.choice([1.0, 2.0, -0.5], size=(1, 1))
    square = rng.normal(size=(N, N))
    forms = [
        lambda: Diagonal(convert(rng.normal(size=N) * rng.integers(0, 2, size=N))),
        lambda: Blocks((convert((square + square.T)[None]),), ROUNDING),
        lambda: LowRank(convert(rows), convert(rng.normal(size=len(rows)))),
        lambda: LowRank(rows, convert(rng.normal(size=len(rows)))),
        lambda: LowRank(np.eye(N)[rng.permutation(N)], convert(rng.normal(size=N))),
    ]
    return forms[rng.integers(len(forms))]()


@pytest.mark.parametrize("seed", range(30))
def test_every_channel_reproduces_its_own_matrix(seed):
    rng = np.random.default_rng(seed)
    operators = [[random_term(rng) for _ in range(rng.integers(0, 3))] for _ in range(rng.integers(1, 5))]
    shared, matrices = shared_and_matrices(operators)
    assert shared.weights.shape == (len(operators), len(dense_rows(shared.rows)))
    for channel, expected in enumerate(matrices):
        np.testing.assert_allclose(matrix_of_channel(shared, channel), expected, atol=1e-12)


def shared_and_matrices(operators):
    """The directions of operators together and the matrix of each, by one program, with arrays of NumPy."""
    couplings = []

    @jax.jit
    def arrays():
        shared = share_directions([factor(terms, N) for terms in operators])
        couplings.extend(shared.couplings)
        rows = dense_rows(shared.rows) if shared.rows else np.zeros((0, N))
        matrices = [sum(map(dense, terms), np.zeros((N, N))) for terms in operators]
        return rows, shared.weights, [coupling.blocks for coupling in couplings], matrices

    rows, weights, blocks, matrices = jax.tree.map(np.asarray, arrays())
    filled = [coupling._replace(blocks=own) for coupling, own in zip(couplings, blocks, strict=True)]
    return SharedDirections((rows,), weights, tuple(filled)), matrices


def test_directions_that_differ_in_length_and_sign_are_kept_once():
    row = np.array([[1.0, -2.0, 0.0, 0.5, 0.0]])
    parts = [factor([LowRank(scale * row, np.ones(1))], N) for scale in (1.0, -1.0, 3.0, -0.25)]
    shared = share_directions(parts)
    assert number_of_directions(shared) == 1
    for channel, scale in enumerate((1.0, -1.0, 3.0, -0.25)):
        np.testing.assert_allclose(matrix_of_channel(shared, channel), scale**2 * row.T @ row, atol=1e-14)


def test_directions_that_differ_by_more_than_rounding_are_two():
    row = np.array([[1.0, -2.0, 0.0, 0.5, 0.0]])
    near = row + np.array([[0, 0, 1e-9, 0, 0]])
    shared = share_directions([factor([LowRank(r, np.ones(1))], N) for r in (row, near, row * (1 + 1e-16))])
    assert number_of_directions(shared) == 2


def test_laplacians_share_the_coordinates_in_whatever_order_they_come():
    shuffled = LowRank(2 * np.eye(N)[[3, 1, 4, 0, 2]], np.arange(1.0, 6.0))
    shared = share_directions([factor([Diagonal(np.ones(N))], N), factor([shuffled], N)])
    assert number_of_directions(shared) == N
    np.testing.assert_allclose(matrix_of_channel(shared, 1), dense(shuffled), atol=1e-14)


@pytest.mark.parametrize("convert", [np.asarray, at_run_time])
def test_weights_of_a_direction_that_an_operator_has_several_times_are_added(convert):
    rows = np.eye(N)[[2, 0, 2, 2, 0]] * np.array([1.0, 2.0, -1.0, 3.0, 1.0])[:, None]
    twice = LowRank(rows, convert(np.array([0.5, -1.0, 2.0, 0.25, 4.0])))
    shared = share_directions([factor([Diagonal(np.ones(N))], N), factor([twice], N)])
    assert number_of_directions(shared) == N
    np.testing.assert_allclose(matrix_of_channel(shared, 1), np.asarray(dense(twice)), atol=1e-13)


def test_a_coupling_keeps_its_directions_in_one_run():
    square = np.arange(25.0).reshape(N, N)
    coupled = Blocks((at_run_time((square + square.T)[None]),), ROUNDING)
    reversed_coordinates = LowRank(np.eye(N)[::-1], np.ones(N))
    for first in ([Diagonal(np.ones(N))], [reversed_coordinates], [Diagonal(np.array([1.0, 1.0, 0, 0, 0]))]):
        shared = share_directions([factor(first, N), factor([coupled], N)])
        np.testing.assert_allclose(matrix_of_channel(shared, 1), square + square.T, atol=1e-13)


def test_coordinates_that_directions_run_along():
    rows = row_block(np.array([[0, 2.0, 0, 0, 0], [1.0, 1.0, 0, 0, 0], [0, 0, 0, -3.0, 0], [0, 5.0, 0, 0, 0]]))
    unknown = at_run_time(np.eye(N)[:1])
    shared = share_directions([SecondOrderPart((unknown, rows), np.ones(5))])
    assert shared.along_coordinates() == {1: (1, 2.0), 3: (3, -3.0)}

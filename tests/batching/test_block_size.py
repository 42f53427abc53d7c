"""Bytes of a point and points of a block, on programs small enough to count by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from dof.batching.block_size import CACHE, LEAST_POINTS, ROOM, WEIGHTS_RATIO, even_size, points_per_block
from dof.batching.blocks import count_and_size
from dof.batching.bytes_per_point import live_bytes, shared_bytes, stored_bytes

W, X = np.ones((4, 3)), np.ones(4)


def program(f, *args):
    return jax.make_jaxpr(f)(*args)


def layer(w, x):
    """dot, tanh, sum: values of 3, 3 and 1 numbers."""
    return jnp.sum(jnp.tanh(x @ w))


def test_a_value_is_alive_from_where_it_is_made_to_its_last_use():
    # x and x @ w are alive together: 4 + 3 numbers; then 3 + 3; then 3 + 1.
    assert live_bytes(program(layer, W, X), [False, True]) == 8 * (4 + 3)
    # x is read once more at the end, and stays: 4 + 3 + 3.
    assert live_bytes(program(lambda w, x: layer(w, x) * x, W, X), [False, True]) == 8 * (4 + 3 + 3)


def test_bytes_are_those_of_the_dtype():
    assert live_bytes(program(layer, W.astype(np.float32), X.astype(np.float32)), [False, True]) == 4 * (4 + 3)
    both = program(lambda x: (x > 0, x * 2), X)
    assert live_bytes(both, [True]) == 8 * 4 + 4 + 8 * 4


def test_what_is_the_same_for_all_points_does_not_count():
    shared = lambda w, x: jnp.sum(jnp.tanh(w @ w.T)) + x  # noqa: E731
    assert live_bytes(program(shared, W, 1.0), [False, True]) == 8 * (1 + 1)
    assert live_bytes(program(shared, W, 1.0), [False, False]) == 0


def test_equations_that_no_result_needs_do_not_count():
    def unused(x):
        jnp.outer(x, x)
        return 2 * x

    assert live_bytes(program(unused, X), [True]) == 8 * (4 + 4)


def test_the_values_of_a_loop_come_on_top_of_those_around_it():
    def loop(w, x):
        return lax.scan(lambda h, _: (jnp.tanh(h @ w), None), x, None, length=5)[0]

    square = np.ones((4, 4))
    # Around: x and the result. Inside: h and h @ w, or h @ w and its tanh.
    assert live_bytes(program(loop, square, X), [False, True]) == 8 * (4 + 4) + 8 * (4 + 4)


def test_a_gradient_stores_what_depends_on_the_point_and_on_the_parameters():
    # Of the point: x and x @ w; tanh and the sum are computed anew.
    assert stored_bytes(program(layer, W, X), [False, True], 1) == 8 * (4 + 3)
    two_layers = program(lambda w, x: layer(w, jnp.tanh(x @ (w @ w.T))), W, X)
    assert stored_bytes(two_layers, [False, True], 1) == 8 * (4 + 4 + 4 + 3)
    deep = program(lambda w, x: lax.scan(lambda h, _: (jnp.tanh(h @ (w @ w.T)), None), x, None, length=5)[0], W, X)
    # Around the loop: x and the result. Each turn keeps h and its product.
    assert stored_bytes(deep, [False, True], 1) == 8 * (4 + 4) + 5 * 8 * (4 + 4)
    # x² does not depend on w: it is stored because it is multiplied by what does. x and x² are there at the same time.
    squared = program(lambda w, x: x**2 @ w, W, X)
    assert stored_bytes(squared, [False, True], 1) == 8 * (4 + 4)
    # tanh(w) does not depend on the point.
    assert stored_bytes(program(lambda w, x: x @ jnp.tanh(w), W, X), [False, True], 1) == 8 * (4 + 3)
    # Nothing is trained: as much as the values of a point.
    assert stored_bytes(program(layer, W, X), [False, True], 0) == live_bytes(program(layer, W, X), [False, True])


def test_shared_bytes_are_arguments_and_constants():
    constant = np.ones(5)
    jaxpr = program(lambda w, x: layer(w, x) + jnp.sum(constant * jnp.cumsum(jnp.ones(5))), W, X)
    constants = sum(np.asarray(c).nbytes for c in jaxpr.consts)
    assert constants >= constant.nbytes
    assert shared_bytes(jaxpr, [False, True]) == W.nbytes + constants
    assert shared_bytes(jaxpr, [True, True]) == constants


def test_points_per_block_is_what_was_asked_for():
    def never():
        raise AssertionError("the bytes of a point are counted for `auto` only")

    assert points_per_block(7, never, 100, 0) == 7
    assert points_per_block(None, never, 100, 0) == 100
    assert points_per_block(None, never, 0, 0) == 1


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="accelerators count their free memory")
def test_a_block_fills_the_cache_or_outweighs_what_all_points_share():
    assert points_per_block("auto", lambda: 1024, 10**9, 0) == CACHE // 1024
    assert points_per_block("auto", lambda: 1024, 10**9, CACHE) == int(WEIGHTS_RATIO * CACHE) // 1024
    assert points_per_block("auto", lambda: 2 * CACHE, 10**9, 0) == LEAST_POINTS
    assert points_per_block("auto", lambda: ROOM, 10**9, 0) == 1
    assert points_per_block("auto", lambda: 0, 10**9, 0) == CACHE


@pytest.mark.parametrize(
    ("fits", "n", "size"),
    [(3, 32, 4), (5, 32, 4), (13, 64, 16), (13, 1000, 12), (400, 8192, 512), (53, 64, 64), (1, 10, 1), (20, 20, 20)],
)
def test_blocks_are_even_and_need_few_copies(fits, n, size):
    assert even_size(fits, n) == size


def test_the_size_of_blocks_stays_near_what_fits():
    for fits in range(2, 60):
        for n in range(fits + 1, 300, 7):
            size = even_size(fits, n)
            blocks, of_block = count_and_size(n, size)
            assert size % 2 == 0 and 0.5 * fits <= size <= 1.5 * fits + 2
            assert blocks * of_block - n < size

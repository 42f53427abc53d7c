"""The triples of x itself against the dense rows of L and against b."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.directions.sparse_rows import dense_rows, row_block, scaled_coordinates
from dof.operators.coordinates import Coordinates
from dof.triples.seed import seed, stacked_b
from dof.triples.slots_to_stacks import in_frame
from dof.triples.triple import SlotTriple, tangents_of

SEEDS = range(3)


def trees(rng):
    """Points of 7 coordinates."""
    normal = lambda *shape: jnp.asarray(rng.normal(size=shape))  # noqa: E731
    return {
        "vector": normal(7),
        "tree": {"a": normal(2, 2), "b": (normal(), normal(0, 3)), "c": normal(2)},
        "precisions": (normal(3).astype(jnp.float32), normal(4)),
    }


def rows_of_every_kind(rng):
    sparse = rng.normal(size=(4, 7)) * (rng.random((4, 7)) < 0.3)
    at_run_time = jnp.asarray(rng.normal(size=(2, 7)))
    return {
        "coordinates": [scaled_coordinates(rng.normal(size=7))],
        "sparse": [row_block(sparse)],
        "at run time": [at_run_time],
        "both": [row_block(sparse), at_run_time, scaled_coordinates(np.ones(7))],
    }


@pytest.mark.parametrize("seed_", SEEDS)
@pytest.mark.parametrize("rows", ["coordinates", "sparse", "at run time", "both"])
@pytest.mark.parametrize("tree", ["vector", "tree", "precisions"])
def test_the_tangents_of_x_are_the_columns_of_l(seed_, rows, tree):
    rng = np.random.default_rng(seed_)
    x, blocks = trees(rng)[tree], rows_of_every_kind(rng)[rows]
    coordinates = Coordinates.of(x)
    dense = np.asarray(dense_rows(blocks))

    @jax.jit
    def tangents():
        return [tangents_of(in_frame(triple, np.arange(len(dense)))) for triple in seed(x, coordinates, blocks, None)]

    start = 0
    for leaf, found in zip(jax.tree.leaves(x), tangents(), strict=True):
        expected = dense[:, start : start + leaf.size].reshape(len(dense), *leaf.shape)
        start += leaf.size
        assert not expected.any() if found is None else found.dtype == leaf.dtype
        tolerance = 1e-6 if leaf.dtype == jnp.float32 else 0
        np.testing.assert_allclose(np.zeros_like(expected) if found is None else found, expected, rtol=tolerance)
    assert start == 7


def test_coordinates_keep_one_slot_for_each_element():
    x = jnp.zeros((2, 3))
    (triple,) = seed(x, Coordinates.of(x), [scaled_coordinates(np.ones(6))], None)
    assert isinstance(triple, SlotTriple)
    np.testing.assert_array_equal(triple.tangents.slots.index, np.arange(6).reshape(1, 2, 3))


def test_a_leaf_without_directions_and_without_b_is_a_plain_array():
    x = (jnp.ones(2), jnp.ones(3))
    first, second = seed(x, Coordinates.of(x), [row_block(np.eye(5)[:2])], None)
    assert isinstance(first, SlotTriple) and second is x[1]


def test_b_is_applied_to_x_for_each_channel():
    x = (jnp.ones(2), jnp.ones((1, 3)))
    coordinates = Coordinates.of(x)
    b = stacked_b([None, np.arange(5.0), jnp.ones(5)], coordinates)
    first, second = seed(x, coordinates, [], b)
    np.testing.assert_array_equal(first.applied, [[0, 0], [0, 1], [1, 1]])
    np.testing.assert_array_equal(second.applied, [[[0, 0, 0]], [[2, 3, 4]], [[1, 1, 1]]])
    assert first.tangents is None and stacked_b([None, None], coordinates) is None

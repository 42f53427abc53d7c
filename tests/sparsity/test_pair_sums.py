"""Sums over pairs of particles: directions of the first are summed, those of the second change their places."""

import jax.numpy as jnp
import numpy as np
import pytest

from dof.directions.sparse_rows import EMPTY
from dof.sparsity.aligned_slots import aligned
from dof.sparsity.pair_sums import find_pairs
from dof.sparsity.placement import find_placement
from dof.triples.slots import Slots
from oracle import assert_exact, normal, points

PARTICLES = 4


def pairs_of_directions(own_on_diagonal):
    """(2, p, s): the direction of p and that of s; a pair of a particle with itself has one, or none."""
    index = np.stack(np.broadcast_arrays(np.arange(PARTICLES)[:, None], np.arange(PARTICLES)[None]))
    diagonal = np.arange(PARTICLES)
    index[1, diagonal, diagonal] = EMPTY
    index[0, diagonal, diagonal] = diagonal if own_on_diagonal else EMPTY
    return index


@pytest.mark.parametrize("own_on_diagonal", [False, True])
def test_every_entry_belongs_to_one_of_the_two(own_on_diagonal):
    index = pairs_of_directions(own_on_diagonal)
    found = find_placement(index, np.broadcast_to(np.arange(PARTICLES)[:, None], (PARTICLES, PARTICLES)))
    pairs = find_pairs(index, found, [PARTICLES])
    assert pairs is not None
    assert ((pairs.entries_of_p == EMPTY) | (pairs.entries_of_s == EMPTY)).all()
    assert np.array_equal(np.maximum(pairs.entries_of_p, pairs.entries_of_s), index)
    assert pairs.of_p.tolist() == pairs.of_s.tolist() == [[0, 1, 2, 3]]


def test_a_direction_of_two_s_makes_no_pairs():
    index = np.array([[[0, 1, 1]], [[2, 3, 4]]])
    found = find_placement(index, np.arange(5)[:, None])
    found = found._replace(rare=np.arange(6)[None, None], frequent=found.frequent[:0], directions=found.directions[:0])
    assert find_pairs(index, found, [1]) is None


W = normal(4, 8)


def features(x):
    """(r_i − r_j, a length), (n, n, 4). The diagonal depends on its particle: r_i − r_j + r_i [i = j]."""
    r = x.reshape(PARTICLES, 3)
    apart = r[:, None] - r[None] + r[:, None] * jnp.eye(PARTICLES)[..., None]
    return jnp.concatenate([apart, jnp.sqrt(1 + jnp.sum(apart**2, axis=-1, keepdims=True))], axis=-1)


SUMS = {
    "features": lambda x: jnp.sum(features(x), axis=1),
    "of the first": lambda x: jnp.sum(features(x), axis=0),
    "by halves": lambda x: jnp.stack([jnp.sum(features(x)[:, :2], axis=1), jnp.mean(features(x)[:, 2:], axis=1)]),
    "after a layer": lambda x: jnp.sum(jnp.tanh(features(x) @ W), axis=1),
    "of features and pairs": lambda x: jnp.sum(features(x), axis=(1, 2)),
    "of three": lambda x: jnp.sum(features(x)[:, :, None] * features(x)[None], axis=(1, 2)),
    "joined in another order": lambda x: jnp.sum(jnp.concatenate([features(x)[..., 3:], features(x)], -1), axis=1),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_are_exact(name):
    assert_exact(lambda x: jnp.sum(jnp.sin(SUMS[name](x))), points(3 * PARTICLES))


def test_operands_side_by_side_have_a_direction_in_the_same_slot():
    components, length = Slots(np.array([[[5, 6, 7]]])), Slots(np.array([5, 6, 7]).reshape(3, 1, 1))
    first, second = aligned([components, length], 1)
    assert first is not None and second is not None
    assert first.index[:, 0].tolist() == [[5, EMPTY, EMPTY], [EMPTY, 6, EMPTY], [EMPTY, EMPTY, 7]]
    assert np.array_equal(second.index, length.index)


def test_operands_that_would_need_more_slots_stay_as_they_are():
    each = Slots(np.arange(6).reshape(1, 1, 6))
    first, second = aligned([each, None], 1)
    assert first is each and second is None

"""Tangents in slots against dense stacks with one entry for each direction."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.directions.sparse_rows import EMPTY
from dof.triples.slot_tangents import FEW, SlotTangents, embed
from dof.triples.slots import Slots, compressed, merge, uniform

R, SHAPE = 24, (3, 4)
SEEDS = range(4)


def random_tangents(rng, slots, varying=SHAPE):
    """Slots with distinct directions, some of them empty, and data that is zero there."""
    index = np.full((slots, *varying), EMPTY)
    for element in np.ndindex(varying):
        own = rng.choice(R, size=slots, replace=False)
        index[(slice(None), *element)] = np.where(rng.random(slots) < 0.3, EMPTY, own)
    data = np.where(np.broadcast_to(index, (slots, *SHAPE)) == EMPTY, 0, rng.normal(size=(slots, *SHAPE)))
    return SlotTangents(data, compressed(index))


def scattered(data, slots):
    """The dense stack (R, *SHAPE)."""
    full, index = np.zeros((R + 1, *SHAPE)), np.broadcast_to(slots.index, (len(slots), *SHAPE))
    for own, where in zip(np.asarray(data), index, strict=True):
        full[(where, *np.indices(SHAPE))] += own
    assert not full[EMPTY].any()  # empty slots hold zero
    return full[:-1]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("slots", [1, 3, FEW, FEW + 1, 2 * FEW])
@pytest.mark.parametrize("varying", [SHAPE, (3, 1), (1, 1)])
def test_embedding_moves_every_entry_to_the_slot_of_its_direction(seed, slots, varying):
    rng = np.random.default_rng(seed)
    tangents, other = random_tangents(rng, slots, varying), random_tangents(rng, 5)
    everything = uniform(rng.permutation(R), len(SHAPE))
    for new in (merge([tangents.slots, other.slots]), everything):
        found = embed(tangents, new)
        assert found.shape == (len(new), *SHAPE)
        np.testing.assert_array_equal(scattered(found, new), scattered(tangents.data, tangents.slots))


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_slots_are_moved_as_they_are(seed):
    rng = np.random.default_rng(seed)
    old = rng.choice(R, size=5, replace=False)
    tangents = SlotTangents(rng.normal(size=(5, *SHAPE)), uniform(old, len(SHAPE)))
    more = uniform(rng.permutation(np.concatenate([old, np.setdiff1d(np.arange(R), old)[:4]])), len(SHAPE))
    found = embed(tangents, more)
    np.testing.assert_array_equal(scattered(found, more), scattered(tangents.data, tangents.slots))


def test_embedding_into_the_same_slots_gives_the_data_itself():
    tangents = random_tangents(np.random.default_rng(0), 3)
    assert embed(tangents, Slots(tangents.slots.index.copy())) is tangents.data


def test_slots_of_pairs_of_particles_are_placed_by_two_choices():
    """Direction c of a particle comes from slot c or 3 + c of a pair only, so that two of six slots are selected."""
    first, second = np.broadcast_arrays(np.arange(4)[:, None], np.arange(4))
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    index = np.concatenate([3 * particle + np.arange(3)[:, None, None] for particle in (lower, upper)])
    index[3:, np.arange(4), np.arange(4)] = EMPTY
    data = np.random.default_rng(0).normal(size=index.shape) * (index != EMPTY)
    everything = uniform(np.arange(12), 2)
    place = lambda data: embed(SlotTangents(data, Slots(index.astype(np.int32))), everything)  # noqa: E731
    wanted = np.zeros((12, 4, 4))
    for slot, i, j in np.ndindex(index.shape):
        if index[slot, i, j] != EMPTY:
            wanted[index[slot, i, j], i, j] = data[slot, i, j]
    np.testing.assert_array_equal(place(jnp.asarray(data)), wanted)
    assert jax.jit(place).lower(jnp.asarray(data)).compile().as_text().count(" select(") == 2

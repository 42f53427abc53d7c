"""Sums along some axes of values with directions of their own, against dense NumPy."""

import tracemalloc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof.directions.sparse_rows import EMPTY
from dof.sparsity.placed_sums import placed_sum
from dof.sparsity.placement import find_placement
from dof.triples.slot_tangents import SlotTangents, embed
from dof.triples.slots import Slots, collapse, compressed, uniform
from oracle import assert_close, assert_exact, normal, points

DIRECTIONS = 7


def random_tangents(rng, shape):
    """Tangents with up to 7 slots, whose directions vary along some axes, with empty slots."""
    sizes = [n if rng.random() < 0.6 else 1 for n in shape]
    slots = int(rng.integers(1, DIRECTIONS + 1))
    each = [rng.permutation(DIRECTIONS)[:slots] for _ in range(int(np.prod(sizes)))]
    index = np.stack(each, axis=1).reshape(slots, *sizes)
    index = np.where(rng.random(index.shape) < 0.2, EMPTY, index)
    data = rng.normal(size=(slots, *shape)) * (index != EMPTY)
    return SlotTangents(data, compressed(index))


def dense(tangents):
    full = np.broadcast_to(tangents.slots.index, tangents.data.shape)
    return np.stack([np.sum(np.where(full == d, tangents.data, 0), axis=0) for d in range(DIRECTIONS)])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("own", [False, True])
def test_against_dense_sums(seed, own):
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 4, size=rng.integers(1, 5)))
    axes = [a for a in range(len(shape)) if rng.random() < 0.5] or [0]
    tangents = random_tangents(rng, shape)
    every = uniform(np.arange(DIRECTIONS), len(shape) - len(axes))
    joined = Slots(np.squeeze(collapse(tangents.slots, axes).index, tuple(1 + a for a in axes)))
    target = joined if own else every

    @jax.jit
    def in_all_directions(data):
        found = placed_sum(SlotTangents(data, tangents.slots), axes, target)
        assert len(found.data) == len(target)
        return embed(found, every)

    assert_close(in_all_directions(tangents.data), dense(tangents).sum(axis=tuple(1 + a for a in axes)))


def test_what_occurs_everywhere_is_summed_and_the_rest_is_placed():
    """Pairs (p, s) of five particles with a direction each: that of p occurs five times, the others once."""
    pairs = np.stack(np.broadcast_arrays(np.arange(5)[:, None], np.arange(5)[None]))
    pairs[1, np.arange(5), np.arange(5)] = EMPTY
    found = find_placement(pairs, np.broadcast_to(np.arange(5)[:, None], (5, 5)))
    assert found.rare.shape == (5, 5, 1) and found.frequent.shape == (1, 5, 5)
    assert found.directions.tolist() == [[0, 1, 2, 3, 4]]
    assert (found.rare[np.arange(5), np.arange(5)] == EMPTY).all()


def test_memory_to_place_many_directions():
    """To compare each of 20,000 directions with each slot would take 400 MB."""
    index = np.concatenate([np.arange(20_000), np.arange(7)])[None, None]
    tracemalloc.start()
    found = find_placement(index, np.arange(20_000)[::-1, None])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.rare[0, 0, 0] == 19_999 and peak < 50e6


def test_every_entry_is_found_once():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        slots, kept, summed = rng.integers(1, 6, size=3)
        each = [rng.permutation(DIRECTIONS)[:slots] for _ in range(kept * summed)]
        index = np.stack(each, axis=1).reshape(slots, kept, summed)
        index = np.where(rng.random(index.shape) < 0.3, EMPTY, index)
        found = find_placement(index, np.broadcast_to(np.arange(DIRECTIONS)[:, None], (DIRECTIONS, kept)))
        numbers = np.arange(index.size).reshape(index.shape)
        for direction, p in np.ndindex(DIRECTIONS, kept):
            often = found.frequent[found.directions[:, p] == direction, p]
            places = np.concatenate([found.rare[direction, p], often.ravel()])
            expected = numbers[:, p][index[:, p] == direction]
            assert sorted(places[places != EMPTY]) == sorted(expected)


W = normal(2, 16)


def pairs(x):
    r = x.reshape(5, 2)
    return jnp.tanh((r[:, None] - r[None]) @ W)


SUMS = {
    "second": lambda x: jnp.sum(pairs(x), axis=1),
    "first": lambda x: jnp.mean(pairs(x)[:3], axis=0),
    "all": lambda x: jnp.sum(pairs(x), axis=(0, 1)),
    "with units": lambda x: jnp.sum(pairs(x), axis=(1, 2)),
    "of which one kept axis varies no more": lambda x: jnp.sum(
        x[None, None] - x[:3, None, None] - x[None, :2, None], axis=0
    ),
    "spins": lambda x: jnp.stack([jnp.mean(pairs(x)[:, :2], axis=1), jnp.mean(pairs(x)[:, 2:], axis=1)]),
}


def test_sums_over_pairs():
    assert_exact(lambda x: {name: jnp.sum(jnp.sin(SUMS[name](x))) for name in SUMS}, points(10))


def test_memory_of_a_sum_over_pairs():
    """Placing all pairs into all directions before the sum would need n · n · 2 n arrays of 16."""
    n = 24
    f = lambda x: jnp.sum(jnp.sin(jnp.sum(jnp.tanh((x.reshape(n, 1, 2) - x.reshape(1, n, 2)) @ W), axis=1)))  # noqa: E731
    compiled = jax.jit(dof.laplacian(f)).lower(jnp.ones(2 * n)).compile()
    assert compiled.memory_analysis().temp_size_in_bytes < n * n * 2 * n * 16 * 8 / 2


V = normal(4, 8)


def features(x):
    """(r_i − r_j, a length), (4, 4, 4). On the diagonal r_i is added, so that a particle by itself depends on r_i."""
    r = x.reshape(4, 3)
    apart = r[:, None] - r[None] + r[:, None] * jnp.eye(4)[..., None]
    return jnp.concatenate([apart, jnp.sqrt(1 + jnp.sum(apart**2, axis=-1, keepdims=True))], axis=-1)


SUMS_OF_FEATURES = {
    "second": lambda x: jnp.sum(features(x), axis=1),
    "first": lambda x: jnp.sum(features(x), axis=0),
    "halves": lambda x: jnp.stack([jnp.sum(features(x)[:, :2], axis=1), jnp.mean(features(x)[:, 2:], axis=1)]),
    "after a layer": lambda x: jnp.sum(jnp.tanh(features(x) @ V), axis=1),
    "features and pairs": lambda x: jnp.sum(features(x), axis=(1, 2)),
    "triples of particles": lambda x: jnp.sum(features(x)[:, :, None] * features(x)[None], axis=(1, 2)),
    "in another order": lambda x: jnp.sum(jnp.concatenate([features(x)[..., 3:], features(x)], axis=-1), axis=1),
}


@pytest.mark.parametrize("name", SUMS_OF_FEATURES)
def test_sums_of_features_with_slots_of_their_own(name):
    assert_exact(lambda x: jnp.sum(jnp.sin(SUMS_OF_FEATURES[name](x))), points(12))

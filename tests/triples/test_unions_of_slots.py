"""Operations on slots against one set of directions for each element."""

import numpy as np
import pytest

from dof.directions.sparse_rows import EMPTY
from dof.triples.slots import Slots, collapse, compressed, distinct, merge, uniform

SEEDS = range(6)
SHAPE = (3, 2, 4)


def random_index(rng, slots=4, directions=6, shape=SHAPE):
    """Directions with repetitions and empty slots, which along some axes do not vary."""
    varying = [n if rng.random() < 0.6 else 1 for n in shape]
    return np.broadcast_to(rng.integers(EMPTY, directions, size=(slots, *varying)), (slots, *shape))


def sets(index, shape=SHAPE):
    """The set of directions of each element."""
    full = np.broadcast_to(index, (len(index), *shape))
    return {e: set(full[(slice(None), *e)].tolist()) - {EMPTY} for e in np.ndindex(shape)}


def is_distinct(index):
    """Each direction once, in increasing order, before the empty slots; and some element needs all slots."""
    flat = index.reshape(len(index), -1).T
    found = [column[column != EMPTY].tolist() for column in flat]
    in_front = all(column[: len(own)].tolist() == own for column, own in zip(flat, found, strict=True))
    return in_front and all(own == sorted(set(own)) for own in found) and max(map(len, found), default=0) == len(index)


@pytest.mark.parametrize("seed", SEEDS)
def test_compressed_slots_are_the_same_and_vary_along_every_axis_that_they_have(seed):
    index = random_index(np.random.default_rng(seed))
    slots = compressed(index)
    np.testing.assert_array_equal(np.broadcast_to(slots.index, index.shape), index)
    for axis in range(1, index.ndim):
        varies = not (index == np.take(index, [0], axis)).all()
        assert slots.index.shape[axis] == (index.shape[axis] if varies else 1)
        assert (axis - 1 in slots.varying_axes) is varies
    assert slots.is_uniform is (not slots.varying_axes)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_directions_of_slots_are_those_of_all_elements(seed):
    index = random_index(np.random.default_rng(seed))
    assert compressed(index).directions.tolist() == sorted(set().union(*sets(index).values()))


def test_uniform_slots_are_the_same_for_all_elements():
    slots = uniform(np.array([4, 1, 7]), 2)
    assert slots.is_uniform and len(slots) == 3 and slots.index.shape == (3, 1, 1)
    assert set(map(frozenset, sets(slots.index, (2, 3)).values())) == {frozenset((1, 4, 7))}


@pytest.mark.parametrize("seed", SEEDS)
def test_distinct_keeps_the_set_of_each_element(seed):
    index = random_index(np.random.default_rng(seed))
    found = distinct(index)
    assert sets(found) == sets(index) and is_distinct(found)


def test_distinct_of_empty_slots_has_no_slots():
    assert distinct(np.full((3, 2), EMPTY)).shape == (0, 2)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("axes", [(), (0,), (2,), (0, 1), (2, 0), (0, 1, 2)])
def test_collapse_is_the_union_along_the_axes(seed, axes):
    slots = compressed(distinct(random_index(np.random.default_rng(seed))))
    found = collapse(slots, axes)
    before, after = sets(slots.index), sets(found.index)
    for element in np.ndindex(SHAPE):
        mixed = [e for e in np.ndindex(SHAPE) if all(e[a] == element[a] for a in range(3) if a not in axes)]
        assert after[element] == set().union(*(before[e] for e in mixed))
    assert all(found.index.shape[a + 1] == 1 for a in axes)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_merge_is_the_union_element_by_element(seed, count):
    rng = np.random.default_rng(seed)
    several = [compressed(distinct(random_index(rng, slots=n + 1))) for n in range(count)]
    found = merge(several)
    expected = [sets(slots.index) for slots in several]
    assert sets(found.index) == {e: set().union(*(s[e] for s in expected)) for e in np.ndindex(SHAPE)}


def test_slots_that_are_all_equal_merge_to_the_first():
    slots = compressed(np.arange(6).reshape(1, 3, 2))
    assert merge([slots, Slots(slots.index.copy())]) is slots

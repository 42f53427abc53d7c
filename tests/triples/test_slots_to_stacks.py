"""From slots to stacks and back again, without loss."""

import numpy as np
import pytest

from dof.directions.sparse_rows import EMPTY
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import Slots, compressed, merge, uniform
from dof.triples.slots_to_stacks import frame_of, in_frame, out_of_frame, to_slots, to_stack, without_tangents
from dof.triples.triple import SlotTriple, Triple

R, SHAPE = 6, (2, 3)
SEEDS = range(4)


def random_triple(rng, slots=3):
    index = np.stack([rng.permutation(R)[:slots] for _ in range(6)], axis=1).reshape(slots, *SHAPE)
    index = np.where(rng.random(index.shape) < 0.3, EMPTY, index)
    index[0, 0, 0] = R - 1  # so that some direction is there
    data = np.where(index == EMPTY, 0, rng.normal(size=index.shape))
    return SlotTriple(rng.normal(size=SHAPE), SlotTangents(data, compressed(index)), rng.normal(size=(2, *SHAPE)))


def dense(triple):
    """Tangents along all directions, (R, *SHAPE), element by element."""
    index = np.broadcast_to(triple.tangents.slots.index, (len(triple.tangents.slots), *SHAPE))
    full = np.zeros((R, *SHAPE))
    for slot, *element in np.ndindex(index.shape):
        if index[slot, *element] != EMPTY:
            full[index[slot, *element], *element] += triple.tangents.data[slot, *element]
    return full


@pytest.mark.parametrize("seed", SEEDS)
def test_a_frame_has_all_directions_of_the_operands(seed):
    rng = np.random.default_rng(seed)
    one, two = random_triple(rng), random_triple(rng, slots=1)
    found = {d for t in (one, two) for d in t.tangents.slots.index.ravel().tolist()} - {EMPTY}
    assert frame_of([one, np.ones(3), without_tangents(two), two]).tolist() == sorted(found)
    assert frame_of([np.ones(3)]).tolist() == []


@pytest.mark.parametrize("seed", SEEDS)
def test_stacks_in_a_frame_are_dense_tangents_and_come_back_as_they_were(seed):
    triple = random_triple(np.random.default_rng(seed))
    frame = np.arange(R)
    stack = in_frame(triple, frame)
    assert isinstance(stack, Triple) and stack.value is triple.value and stack.applied is triple.applied
    np.testing.assert_array_equal(stack.tangents, dense(triple))
    back = out_of_frame(stack, frame)
    assert isinstance(back, SlotTriple) and back.tangents.slots.is_uniform
    np.testing.assert_array_equal(dense(back), dense(triple))


@pytest.mark.parametrize("seed", SEEDS)
def test_stacks_in_common_slots_come_back_as_they_were(seed):
    rng = np.random.default_rng(seed)
    triple, other = random_triple(rng), random_triple(rng)
    common = merge([triple.tangents.slots, other.tangents.slots])
    back = to_slots(to_stack(triple, common), common)
    np.testing.assert_array_equal(dense(back), dense(triple))
    assert back.tangents.slots == common


def test_slots_that_are_empty_everywhere_are_dropped():
    slots = Slots(np.array([[[3, 1, 2]], [[EMPTY] * 3]]))
    stack = Triple(np.zeros((2, 3)), np.stack([np.ones((2, 3)), np.zeros((2, 3))]), None)
    found = to_slots(stack, slots)
    np.testing.assert_array_equal(found.tangents.slots.index, [[[3, 1, 2]]])
    np.testing.assert_array_equal(found.tangents.data, np.ones((1, 2, 3)))


def test_a_result_without_any_direction_is_constant_or_has_only_what_is_applied():
    nothing = uniform(np.array([EMPTY]), 0)
    assert to_slots(Triple(2.0, np.zeros(1), None), nothing) == 2.0
    kept = to_slots(Triple(2.0, np.zeros(1), np.ones(2)), nothing)
    assert isinstance(kept, SlotTriple) and kept.tangents is None and kept.applied is not None


def test_plain_arrays_stay_as_they_are():
    array, frame = np.ones(SHAPE), np.arange(2)
    slots = uniform(frame, 2)
    assert all(found is array for found in (to_stack(array, slots), to_slots(array, slots), in_frame(array, frame)))
    assert out_of_frame(array, frame) is array and without_tangents(array) is array


def test_zero_tangents_stay_zero_in_both_directions():
    stack = in_frame(SlotTriple(np.ones(SHAPE), None, np.ones((1, *SHAPE))), np.arange(R))
    assert isinstance(stack, Triple) and stack.tangents is None
    back = out_of_frame(stack, np.arange(R))
    assert isinstance(back, SlotTriple) and back.tangents is None and back.applied is not None

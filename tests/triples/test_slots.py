"""Slots are part of the static structure of a triple: hashable, and not to be written to."""

import numpy as np
import pytest

from dof.triples.slots import Slots, compressed, uniform


def test_slots_cannot_be_written_to():
    slots = compressed(np.arange(6).reshape(1, 3, 2))
    with pytest.raises(ValueError, match="read-only"):
        slots.index[0, 0, 0] = 5


def test_making_slots_does_not_lock_the_array_of_the_caller():
    mine = np.arange(3)
    uniform(mine, 2)
    compressed(mine.reshape(1, 3))
    mine[0] = 7
    assert mine[0] == 7


def test_equal_slots_have_one_hash_that_is_computed_once():
    one, two = compressed(np.arange(6).reshape(1, 3, 2)), Slots(np.arange(6, dtype=np.int32).reshape(1, 3, 2))
    assert one == two and hash(one) == hash(two)
    assert one != uniform(np.arange(6), 2)
    assert "_hash" in vars(one)

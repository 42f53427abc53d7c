"""Results that are kept by numbers: which are the same, and what is kept of them."""

import sys
from itertools import permutations

import numpy as np
import pytest

from dof.torch import cache_by_coefficients
from dof.torch.cache_by_coefficients import Kept, content


@pytest.mark.parametrize("parts", [*permutations([1, 1.0, 1 + 0j, np.float32(1), True], 2)])
def test_equal_numbers_of_other_types_are_kept_apart(parts):
    found = Kept()
    assert [found.of(content([part]), lambda part=part: type(part)) for part in parts] == [*map(type, parts)]


def test_arrays_are_told_apart_by_shape_type_and_numbers():
    a = np.arange(6.0).reshape(2, 3)
    others = [a.T, a.reshape(3, 2), a.astype(np.float32), a + 0j, a + 1e-15, a[:1]]
    assert len({content(each) for each in [a, a.copy(), *others]}) == 1 + len(others)


def test_keys_do_not_hold_the_numbers():
    assert sum(map(sys.getsizeof, content(np.ones(10_000)))) < 1000


def test_results_survive_that_another_thread_forgets_all():
    class Cleared(Kept):
        def __setitem__(self, key, value):
            """As if the others were forgotten right after this one was kept."""

    assert Cleared().of("key", lambda: 3) == 3
    assert Kept().of("key", lambda: None) is None


def test_none_is_a_result_and_too_many_are_forgotten(monkeypatch):
    monkeypatch.setattr(cache_by_coefficients, "MOST", 2)
    found, calls = Kept(), []
    for key in (1, 1, 2, 2, 3, 1):
        found.of(key, lambda key=key: calls.append(key))
    assert calls == [1, 2, 3, 1] and len(found) == 2

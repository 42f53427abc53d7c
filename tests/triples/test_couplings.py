"""Couplings against the dense matrix that they stand for."""

import numpy as np
import pytest

from dof.triples.couplings import Coupling
from triples.dense_forms import GEOMETRIES, R, dense_coupling, random_coupling


@pytest.fixture(params=GEOMETRIES)
def drawn(request):
    """(generator, coupling, its dense matrix)."""
    rng = np.random.default_rng(3)
    coupling = random_coupling(rng, request.param, channel=1)
    return rng, coupling, dense_coupling(coupling)


def test_sums_are_the_rows_of_the_matrix_times_h(drawn):
    rng, coupling, dense = drawn
    h = rng.normal(size=(R, 2, 3))
    found = np.zeros_like(h)
    for start, part in coupling.sums(h):
        found[start : start + len(part)] += part
    np.testing.assert_allclose(found, np.einsum("kl,l...->k...", dense, h), atol=1e-12)


def test_entries_are_those_of_the_matrix(drawn):
    rng, coupling, dense = drawn
    k, l = np.arange(R)[:, None], np.arange(R)[None]
    np.testing.assert_allclose(coupling.entries(k, l), dense, atol=1e-14)
    k, l = rng.integers(R, size=(4, 1, 3)), rng.integers(R, size=(1, 5, 3))
    np.testing.assert_allclose(coupling.entries(k, l), dense[k, l], atol=1e-14)


def test_entries_of_no_direction_are_zero(drawn):
    _, coupling, _ = drawn
    nothing = np.full(R, -1)
    assert not np.any(coupling.entries(nothing, np.arange(R)))
    assert not np.any(coupling.entries(np.arange(R), nothing))


def test_within_a_frame_it_is_the_submatrix(drawn):
    rng, coupling, dense = drawn
    frames = [np.sort(rng.choice(R, size=size, replace=False)) for size in (1, 3, 4, 5, R - 1)]
    for frame in (*frames, np.arange(R)):
        parts = coupling.within(frame)
        assert all(part.channel == coupling.channel for part in parts)
        found = sum((dense_coupling(part, len(frame)) for part in parts), np.zeros((len(frame), len(frame))))
        np.testing.assert_allclose(found, dense[np.ix_(frame, frame)], atol=1e-14)


def test_nothing_is_left_within_other_directions():
    coupling = Coupling(np.ones((2, 1, 1)), channel=0, start=0, other=2)
    assert coupling.within(np.array([0, 1])) == () and coupling.within(np.array([2, 3, 4])) == ()

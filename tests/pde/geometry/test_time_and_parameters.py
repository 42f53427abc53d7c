"""Time: no boundary, and points that crowd at its start."""

import numpy as np
import pytest

import dof
from dof import pde


def test_time_has_no_boundary(rng):
    domain = pde.Ball([0, 0]) * pde.Time(0, 2)
    _, normals = domain.edge(rng.random((100, domain.edge_uniforms)))
    assert not normals[:, 2].any() and domain.is_time.tolist() == [False, False, True]


def test_a_crowded_time_crowds_the_points_of_equations_only():
    domain, unit = pde.Interval(0, 1) * pde.Time(-1, 4, crowded=0.05), np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])
    np.testing.assert_allclose(domain.inside(unit)[:, 1], [-1, 1.5, 4])
    # With c = 0.05, 1 + (t − start) / c is 101 at the end, and √101 where its logarithm is half of that.
    np.testing.assert_allclose(domain.collocation(unit)[:, 1], [-1, 0.05 * (np.sqrt(101) - 1) - 1, 4])
    np.testing.assert_array_equal(domain.collocation(unit)[:, 0], [0, 0.5, 1])
    with pytest.raises(dof.ArgumentError, match=r"crowded=0\.01"):
        pde.Time(0, 1, crowded=-1.0)

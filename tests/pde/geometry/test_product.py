"""Products of domains: parts, boundary points, very many factors."""

import itertools
from functools import reduce
from operator import mul

import numpy as np
import pytest

from dof import pde


def test_areas_of_the_parts_of_a_cylinder_divide_its_boundary_points(rng):
    radius, height = 2.0, 3.0
    edge, normals = (pde.Ball([0, 0], radius) * pde.Interval(0, height)).edge(rng.random((100_000, 6)))
    lids = np.mean(np.abs(normals[:, 2]) == 1)
    assert lids == pytest.approx(2 * np.pi * radius**2 / (2 * np.pi * radius * (radius + height)), abs=0.01)
    assert np.isin(edge[np.abs(normals[:, 2]) == 1, 2], [0, height]).all()


def test_a_ball_times_an_interval_divides_its_boundary_points_in_a_thousand_dimensions(rng):
    """Area to volume is n / r of the ball and 2 / side of the interval: 1000 to 1000 here."""
    domain = pde.Ball([0] * 1000) * pde.Interval(0, 0.002)
    _, normals = domain.edge(rng.random((2000, domain.edge_uniforms)))
    assert np.mean(np.abs(normals[:, 1000]) == 1) == pytest.approx(0.5, abs=0.05)


def test_a_product_of_products_is_that_of_all_parts(rng):
    a, b, c = pde.Interval(0, 1), pde.Ball([0, 0], 0.5), pde.Interval(1, 3)
    left, right = (a * b) * c, a * (b * c)
    assert left.parts == right.parts == (a, b, c) and left.edge_uniforms == right.edge_uniforms
    unit = rng.random((20, left.edge_uniforms))
    for one, other in zip(left.edge(unit), right.edge(unit), strict=True):
        np.testing.assert_array_equal(one, other)
    assert [right.part_at(axis) for axis in range(4)] == [a, b, b, c]


def test_a_product_of_very_many_intervals_takes_linear_time(rng):
    """With work that grows with the square of the number of coordinates this test would take many minutes."""
    domain = reduce(mul, itertools.repeat(pde.Interval(0, 1), 20_000))
    assert domain.contains(domain.inside(rng.random((2, domain.uniforms)))).all()
    assert all(domain.has_face(axis, 1.0) and domain.part_at(axis).size == 1 for axis in range(domain.size))
    residual = pde.residual("x[20000]")(lambda u, x: u.laplacian)
    problem = pde.Problem(residual, domain, [pde.dirichlet(on="x[19999]=0")])
    points, normals = problem.terms()[1].points(rng.random((2, domain.uniforms)))
    assert (points[:, 19_999] == 0).all() and normals.sum() == -2

"""Domains with a hole, shells among them: points inside and on both boundaries."""

import numpy as np
import pytest

from dof import pde


@pytest.mark.parametrize("n", [2, 100, 1000, 100_000])
def test_boundary_points_of_a_shell_divide_by_area_in_any_dimension(n):
    """The areas of both spheres are in the ratio of r^(n−1), also where no volume is a floating-point number."""
    ratio = 1 - 1 / n
    shell = pde.Ball([0] * n, 2.0) - pde.Ball([0] * n, 2.0 * ratio)
    assert shell.outer_share == pytest.approx(1 / (1 + ratio ** (n - 1)), rel=1e-9)
    # area / volume = n (R^(n−1) + r^(n−1)) / (R^n − r^n)
    expected = n / 2 * (1 + ratio ** (n - 1)) / (1 - ratio**n)
    assert shell.area_per_volume == pytest.approx(expected, rel=1e-9)


def test_a_shell_in_a_hundred_dimensions_and_time_has_boundary_points_on_both_spheres(rng):
    """2¹⁰⁰ to 1 for the outer sphere; the volumes of both balls are no numbers that can be subtracted."""
    domain = (pde.Ball([0] * 100, 2) - pde.Ball([0] * 100, 1)) * pde.Time(0, 1)
    edge, normals = domain.edge(rng.random((50, domain.edge_uniforms)))
    np.testing.assert_allclose(np.linalg.norm(edge[:, :100], axis=1), 2, rtol=1e-12)
    assert not normals[:, 100].any() and domain.contains(domain.inside(rng.random((50, domain.uniforms)))).all()
    assert domain.area_per_volume == pytest.approx(50, rel=1e-12)


@pytest.mark.parametrize("thickness", [0.5, 1e-2, 1e-3])
def test_points_of_a_thin_shell_are_all_in_it_and_fill_it(thickness, rng):
    shell = pde.Ball([0, 0]) - pde.Ball([0, 0], 1 - thickness)
    points = shell.inside(rng.random((2000, shell.uniforms)))
    radii = np.linalg.norm(points, axis=1)
    assert shell.contains(points).all() and radii.min() >= 1 - thickness
    # |z|² is uniform between both radii
    uniform = (radii**2 - (1 - thickness) ** 2) / (1 - (1 - thickness) ** 2)
    assert uniform.mean() == pytest.approx(0.5, abs=0.05)


def test_a_hole_may_last_as_long_as_the_domain(rng):
    """A hole in space and time touches the ends of time, which are no boundary."""
    whole, hole = pde.Box([-1, -1], [1, 1]) * pde.Time(0, 1), pde.Ball([0, 0], 0.5) * pde.Time(0, 1)
    domain = whole - hole
    edge, normals = domain.edge(rng.random((500, domain.edge_uniforms)))
    assert domain.contains(edge - 1e-6 * normals).all() and not normals[:, 2].any()
    assert domain.volume == pytest.approx(4 - np.pi / 4, rel=1e-12)

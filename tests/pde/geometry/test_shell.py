"""Shells: measures, boundary points, normals, distances, what is refused."""

import numpy as np
import pytest
from checks_of_shapes import PI, assert_boundary, assert_distances, assert_divergence_theorem, assert_inside_and_normals

from dof import pde

# A domain, its volume, and the area of its boundary.
SHELLS = {
    "annulus": (pde.Shell([1, 2], 1, 2), 3 * PI, 6 * PI),
    "shell": (pde.Shell([1, 2, 3], 1, 2), 28 / 3 * PI, 20 * PI),
    "two ends": (pde.Shell([0], 1, 2), 2, 4),
}


@pytest.mark.parametrize("name", SHELLS)
def test_volume_and_area_are_those_of_the_formulas(name):
    domain, volume, area = SHELLS[name]
    assert (domain.volume, domain.area) == pytest.approx((volume, area), rel=1e-12)


@pytest.mark.parametrize("name", SHELLS)
def test_points_lie_where_they_should_and_normals_point_outwards(name, rng):
    assert_inside_and_normals(SHELLS[name][0], rng)


@pytest.mark.parametrize("name", SHELLS)
def test_the_divergence_theorem_holds(name, rng):
    assert_divergence_theorem(*SHELLS[name], rng)


@pytest.mark.parametrize("name", SHELLS)
def test_points_of_the_boundary_are_on_it_to_rounding(name, rng):
    assert_boundary(SHELLS[name][0], rng)


@pytest.mark.parametrize("name", SHELLS)
def test_distances_are_zero_on_the_boundary_and_positive_and_smooth_inside(name, rng):
    assert_distances(SHELLS[name][0], rng)


def test_the_radii_of_a_thin_shell_fill_it_in_any_dimension(rng):
    for n in (2, 50, 2000):
        shell = pde.Shell([0] * n, 1 - 1e-3, 1.0)
        radii = np.linalg.norm(shell.inside(rng.random((2000, shell.uniforms))), axis=1)
        share = (radii**n - (1 - 1e-3) ** n) / (1 - (1 - 1e-3) ** n)
        assert shell.contains(shell.inside(rng.random((100, shell.uniforms)))).all()
        assert share.mean() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pde.Shell([0, 0], 2.0, 1.0), "`Shell`"),
    ],
)
def test_what_is_no_shell_is_refused(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()

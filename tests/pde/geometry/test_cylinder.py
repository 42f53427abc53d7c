"""Cylinders: measures, boundary points, normals, distances, what is refused."""

import pytest
from checks_of_shapes import PI, assert_boundary, assert_distances, assert_divergence_theorem, assert_inside_and_normals

from dof import pde

# A domain, its volume, and the area of its boundary.
CYLINDERS = {
    "cylinder": (pde.Cylinder([1, 0], 2, -1, 1), 8 * PI, 16 * PI),
}


@pytest.mark.parametrize("name", CYLINDERS)
def test_volume_and_area_are_those_of_the_formulas(name):
    domain, volume, area = CYLINDERS[name]
    assert (domain.volume, domain.area) == pytest.approx((volume, area), rel=1e-12)


@pytest.mark.parametrize("name", CYLINDERS)
def test_points_lie_where_they_should_and_normals_point_outwards(name, rng):
    assert_inside_and_normals(CYLINDERS[name][0], rng)


@pytest.mark.parametrize("name", CYLINDERS)
def test_the_divergence_theorem_holds(name, rng):
    assert_divergence_theorem(*CYLINDERS[name], rng)


@pytest.mark.parametrize("name", CYLINDERS)
def test_points_of_the_boundary_are_on_it_to_rounding(name, rng):
    assert_boundary(CYLINDERS[name][0], rng)


@pytest.mark.parametrize("name", CYLINDERS)
def test_distances_are_zero_on_the_boundary_and_positive_and_smooth_inside(name, rng):
    assert_distances(CYLINDERS[name][0], rng)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pde.Cylinder([0, 0, 0], 1.0, 0, 1), r"`Cylinder` has `centre` \[0, 0, 0\]"),
        (lambda: pde.Cylinder([0, 0], -1.0, 0, 1), "`Cylinder` has `radius` -1.0"),
        (lambda: pde.Cylinder([0, 0], 1.0, 1, 0), "the lower lid first"),
    ],
)
def test_what_is_no_cylinder_is_refused(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()

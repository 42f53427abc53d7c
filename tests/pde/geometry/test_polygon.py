"""Polygons and triangles: measures, boundary points, normals, distances, what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from checks_of_shapes import (
    CORNER,
    PI,
    assert_boundary,
    assert_distances,
    assert_divergence_theorem,
    assert_inside_and_normals,
)

from dof import pde
from dof.extend import enable_x64

STAR = [[np.cos(k * PI / 5) * r, np.sin(k * PI / 5) * r] for k, r in enumerate([1, 0.4] * 5)]
SPIRAL = [[0, 0], [4, 0], [4, 4], [1, 4], [1, 2], [2, 2], [2, 3], [3, 3], [3, 1], [0, 1]]

# A domain, its volume, and the area of its boundary.
POLYGONS = {
    "polygon": (pde.Polygon(CORNER), 3, 8),
    "polygon to the right": (pde.Polygon(CORNER[::-1]), 3, 8),
    "polygon with corners on edges": (pde.Polygon([[0, 0], [1, 0], [2, 0], [2, 2], [1, 2], [0, 2], [0, 1]]), 4, 8),
    "comb": (pde.Polygon([[0, 0], [3, 0], [3, 2], [2, 2], [2, 1], [1, 1], [1, 2], [0, 2]]), 5, 12),
    "spiral": (pde.Polygon(SPIRAL), 10, 22),
    "star": (
        pde.Polygon(STAR),
        5 * 0.4 * np.sin(PI / 5),
        10 * np.hypot(0.4 * np.cos(PI / 5) - 1, 0.4 * np.sin(PI / 5)),
    ),
    "triangle": (pde.Triangle([0, 0], [2, 0], [0, 3]), 3, 5 + np.sqrt(13)),
    "prism": (pde.Triangle([0, 0], [2, 0], [0, 3]) * pde.Interval(0, 2), 6, 6 + 2 * (5 + np.sqrt(13))),
}


@pytest.mark.parametrize("name", POLYGONS)
def test_volume_and_area_are_those_of_the_formulas(name):
    domain, volume, area = POLYGONS[name]
    assert (domain.volume, domain.area) == pytest.approx((volume, area), rel=1e-12)


@pytest.mark.parametrize("name", POLYGONS)
def test_points_lie_where_they_should_and_normals_point_outwards(name, rng):
    assert_inside_and_normals(POLYGONS[name][0], rng)


@pytest.mark.parametrize("name", POLYGONS)
def test_the_divergence_theorem_holds(name, rng):
    assert_divergence_theorem(*POLYGONS[name], rng)


@pytest.mark.parametrize("name", POLYGONS)
def test_points_of_the_boundary_are_on_it_to_rounding(name, rng):
    assert_boundary(POLYGONS[name][0], rng)


@pytest.mark.parametrize("name", POLYGONS)
def test_distances_are_zero_on_the_boundary_and_positive_and_smooth_inside(name, rng):
    assert_distances(POLYGONS[name][0], rng)


def test_distances_have_derivatives_at_corners():
    with enable_x64():
        for domain in (pde.Triangle([0, 0], [2, 0], [0, 3]), pde.Polygon(CORNER)):
            second = jax.jit(jax.vmap(jax.hessian(domain.distance)))(jnp.asarray(domain.vertices))
            assert np.isfinite(second).all()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pde.Polygon([[0, 0], [1, 0]]), "`vertices`"),
        (lambda: pde.Polygon([[0, 0], [1, 0], [2, 0]]), "one line"),
        (lambda: pde.Polygon([[0, 0], [1, 1], [1, 0], [0, 1]]), "crosses"),
        (lambda: pde.Polygon([[0, 0], [3, 0], [3, 2], [1, -1], [0, 2]]), "crosses"),
        (lambda: pde.Polygon([[0, 0], [1, 0], [0, 1]], names=["a"]), "`names`"),
        (lambda: pde.Polygon([[0, 0], [1, 0], [0, 1]], names="abc"), "`names` is 'abc'"),
        (lambda: pde.Polygon([[0, 0], [1], [0, 1]]), "`Polygon` is given"),
        (lambda: pde.Polygon("corners"), "`Polygon` is given 'corners'"),
        (lambda: pde.Polygon([[0, 0], [2, 0], [3, 0], [2, 0], [2, 2]]), "touches itself"),
    ],
)
def test_what_is_no_polygon_is_refused(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()

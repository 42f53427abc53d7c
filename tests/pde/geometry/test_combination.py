"""Unions, intersections and differences: measures, boundary points, normals, distances."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from checks_of_shapes import CORNER, PI, assert_distances, assert_divergence_theorem, assert_inside_and_normals, edge_of

from dof import pde
from dof.extend import enable_x64

L_SHAPE = pde.Box([0, 0], [2, 2]) - pde.Box([1, 1], [2, 2])
LENS = 2 * PI / 3 - np.sqrt(3) / 2
"""The area that two circles of radius 1, a radius apart, have in common."""

# A domain, its volume, and the area of its boundary.
MEASURED = {
    "L": (L_SHAPE, 3, 8),
    "L, by a hole that reaches out": (pde.Box([0, 0], [2, 2]) - pde.Box([1, 1], [3, 4]), 3, 8),
    "L, by boxes that touch": (pde.Box([0, 0], [1, 1]) | pde.Box([1, 0], [2, 2]), 3, 8),
    "L as a prism": (L_SHAPE * pde.Interval(0, 0.5), 1.5, 10),
    "L filled up again": (L_SHAPE | pde.Box([1, 1], [2, 2]), 4, 8),
    "cross": (pde.Box([0, 1], [3, 2]) | pde.Box([1, 0], [2, 3]), 5, 12),
    "lens": (pde.Ball([0, 0]) & pde.Ball([1, 0]), LENS, 4 * PI / 3),
    "two balls": (pde.Ball([0, 0]) | pde.Ball([1, 0]), 2 * PI - LENS, 8 * PI / 3),
    "moon": (pde.Ball([0, 0]) - pde.Ball([1, 0]), PI - LENS, 2 * PI),
    "half disc": (pde.Ball([0, 0]) & pde.Box([0, -2], [2, 2]), PI / 2, PI + 2),
    "shared faces": (pde.Box([0, 0], [2, 1]) & pde.Box([0, 0], [1, 1]), 1, 4),
    "boxes in a row": (pde.Box([0, 0], [2, 1]) | pde.Box([1, 0], [3, 1]), 3, 8),
    "apart": (pde.Interval(0, 1) | pde.Interval(2, 4), 3, 4),
    "triangle without a quarter of a disc": (
        pde.Triangle([0, 0], [2, 0], [0, 3]) - pde.Ball([0, 0], 0.5),
        3 - PI / 16,
        4 + np.sqrt(13) + PI / 4,
    ),
    "half shell": (pde.Shell([0, 0, 0], 1, 2) & pde.Box([0, -3, -3], [3, 3, 3]), 14 / 3 * PI, 13 * PI),
    "dented cylinder": (pde.Cylinder([0, 0], 1, 0, 2) - pde.Ball([0, 0, 0], 0.5), 23 / 12 * PI, 6.25 * PI),
    "polygon and polygon": (pde.Polygon(CORNER) - pde.Triangle([0, 0], [1, 0], [0, 1]), 2.5, 6 + np.sqrt(2)),
    "of three": (pde.Box([0, 0], [3, 1]) - pde.Box([0, 0], [1, 1]) - pde.Ball([3, 0.5], 0.5), 2 - PI / 8, 5 + PI / 2),
}


@pytest.mark.parametrize("name", MEASURED)
def test_volume_and_area_are_those_of_the_formulas(name):
    domain, volume, area = MEASURED[name]
    assert (domain.volume, domain.area) == pytest.approx((volume, area), rel=2e-3)


@pytest.mark.parametrize("name", MEASURED)
def test_points_lie_where_they_should_and_normals_point_outwards(name, rng):
    assert_inside_and_normals(MEASURED[name][0], rng)


@pytest.mark.parametrize("name", MEASURED)
def test_the_divergence_theorem_holds(name, rng):
    assert_divergence_theorem(*MEASURED[name], rng)


@pytest.mark.parametrize("name", MEASURED)
def test_distances_are_zero_on_the_boundary_and_positive_and_smooth_inside(name, rng):
    assert_distances(MEASURED[name][0], rng)


def test_points_of_the_boundary_of_a_combination_are_on_it_to_rounding(rng):
    points, _ = edge_of(L_SHAPE, 2000, rng)
    x, y = points.T
    outer, inner = np.isin(points, [0, 2]).any(axis=1), ((x == 1) & (y >= 1)) | ((y == 1) & (x >= 1))
    assert (outer | inner).all() and not ((x > 1) & (y > 1)).any()
    points, _ = edge_of(MEASURED["two balls"][0], 2000, rng)
    radii = np.stack([np.linalg.norm(points - centre, axis=1) for centre in ([0, 0], [1, 0])])
    assert np.abs(radii - 1).min(axis=0).max() < 1e-12 and radii.max(axis=0).min() > 1 - 1e-12


def test_boundary_points_are_even_along_each_piece(rng):
    points, _ = edge_of(L_SHAPE, 20_000, rng)
    counts = [np.sum(points[:, 0] == 1), np.sum(points[:, 0] == 0), np.sum((points[:, 1] == 2) & (points[:, 0] < 1))]
    np.testing.assert_allclose(np.array(counts) / 20_000, [1 / 8, 2 / 8, 1 / 8], atol=0.01)


TOUCHING_TRIANGLES = pde.Triangle([0, 0], [1, 0], [0, 1]) | pde.Triangle([0, 0], [-1, 0], [0, 1])


def test_a_union_whose_parts_touch_has_no_distance_unless_they_are_boxes():
    with pytest.raises(ValueError, match="`union` is of domains that touch"):
        TOUCHING_TRIANGLES.distance(jnp.ones(2))
    seam = jnp.stack([jnp.full(9, 1.0), jnp.linspace(0.1, 0.9, 9)], axis=1)
    assert jax.vmap(MEASURED["L, by boxes that touch"][0].distance)(seam).min() > 0.05


def test_replaced_points_differ_from_round_to_round_and_are_the_same_for_the_same_numbers(rng):
    units = rng.random((2, 500, L_SHAPE.uniforms))
    first, second = (L_SHAPE.inside(unit) for unit in units)
    np.testing.assert_array_equal(first, L_SHAPE.inside(units[0]))
    assert len(np.intersect1d(first[:, 0], second[:, 0])) == 0


def test_a_combination_in_time_has_a_start_and_no_boundary_in_time(rng):
    domain = L_SHAPE * pde.Time(0, 2)
    assert domain.has_face(2, 0.0) and not domain.has_face(0, 1.5) and domain.is_time.tolist() == [False, False, True]
    edge, normals = edge_of(domain, 500, rng)
    assert not normals[:, 2].any() and np.ptp(edge[:, 2]) > 1.9
    assert domain.volume == pytest.approx(6, rel=1e-3)


@pytest.mark.parametrize("radius", [0.3, 0.01])
def test_the_distance_from_a_small_hole_is_of_the_order_of_one(radius, rng):
    domain = pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], radius)
    inside = domain.inside(rng.random((300, domain.uniforms)))
    with enable_x64():
        values = jax.jit(jax.vmap(domain.distance))(jnp.asarray(inside))
    assert values.min() > 0 and 0.3 < values.max() < 2


def test_the_distance_from_a_cylinder_rises_from_its_rims_too():
    """A rounded corner would have a double zero there, which points into the domain."""
    domain = pde.Box([-2, -2, -2], [2, 2, 2]) - pde.Cylinder([0, 0], 1, -1, 1)
    away = jnp.array([1e-2, 1e-4])[:, None] * jnp.array([[1.0, 0.0, 1.0]])
    with enable_x64():
        far, near = jax.vmap(domain.distance)(jnp.array([1.0, 0.0, 1.0]) + away)
    assert far / near == pytest.approx(100, rel=0.1)


def test_nested_combinations_obey_the_divergence_theorem_at_any_scale(rng):
    for s in np.array([1e-6, 1e6]):
        ball, corner = pde.Ball([2 * s, 2 * s], 0.7 * s), pde.Ball([0, 0], s)
        domain = ((pde.Box([0, 0], [2 * s, 2 * s]) - corner) | ball) & pde.Box([0.2 * s] * 2, [2.5 * s] * 2)
        edge, normals = edge_of(domain, 30_000, rng)
        inside = domain.inside(rng.random((30_000, domain.uniforms)))
        through, within = domain.area * edge**3 * normals, domain.volume * 3 * inside**2
        np.testing.assert_allclose(through.mean(axis=0), within.mean(axis=0), rtol=0.05)
        with enable_x64():
            distance = jax.jit(jax.vmap(domain.distance))
            assert np.abs(distance(jnp.asarray(edge))).max() < 1e-9 and distance(jnp.asarray(inside)).min() > 0


def test_holes_in_holes_have_all_their_circles(rng):
    ball = lambda radius: pde.Ball([0, 0], radius)  # noqa: E731
    domain = ball(4) - (ball(3) - (ball(2) - ball(1)))
    assert (domain.volume, domain.area) == pytest.approx((10 * PI, 20 * PI), rel=1e-12)
    edge, normals = edge_of(domain, 2000, rng)
    radii = np.linalg.norm(edge, axis=1)
    outwards = np.sign(np.sum(edge * normals, axis=1))
    np.testing.assert_array_equal(outwards, np.where(np.isin(np.round(radii), [4, 2]), 1, -1))


def test_a_hole_with_a_tip_that_reaches_out_by_little_leaves_no_boundary_outside(rng):
    tip = pde.Polygon([[0.4, 0.4], [0.6, 0.4], [0.501, 0.6], [0.5, 1.0005], [0.499, 0.6]])
    domain = pde.Box([0, 0], [1, 1]) - tip
    edge, _ = edge_of(domain, 20_000, rng)
    assert edge[:, 1].max() <= 1

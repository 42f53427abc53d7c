"""Points inside and on the boundary, normals, volumes, areas, distances; of shapes, products and differences."""

import jax
import numpy as np
import pytest

from dof import pde

DOMAINS = {
    "interval": pde.Interval(-1, 2),
    "box": pde.Box([0, -1, 2], [1, 3, 2.5]),
    "ball": pde.Ball([1, 2, 3], 0.5),
    "crowded ball": pde.Ball([0, 0], 2.0, crowded=True),
    "space and time": pde.Ball([0, 0]) * pde.Time(0, 2),
    "cylinder": pde.Ball([0, 0], 2.0) * pde.Interval(-1, 1),
    "ring": pde.Ball([0, 0], 2.0) - pde.Ball([0.5, 0], 0.5),
    "ring in time": (pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], 0.5)) * pde.Time(0, 1),
    "two holes": pde.Box([-2, -2], [2, 2]) - pde.Ball([-1, 0], 0.5) - pde.Box([0.5, -1], [1, 1]),
    "nested product": pde.Interval(0, 1) * (pde.Ball([0, 0], 0.5) * pde.Interval(1, 3)),
}
EVEN = [name for name in DOMAINS if name != "crowded ball"]


@pytest.mark.parametrize("name", DOMAINS)
def test_points_lie_where_they_should(name, rng):
    domain = DOMAINS[name]
    inside = domain.inside(rng.random((500, domain.uniforms)))
    edge, normals = domain.edge(rng.random((500, domain.edge_uniforms)))
    assert inside.shape == edge.shape == normals.shape == (500, domain.size)
    assert domain.contains(inside).all()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-12)
    assert domain.contains(edge - 1e-6 * normals).all() and not domain.contains(edge + 1e-6 * normals).any()


@pytest.mark.parametrize("name", [name for name in DOMAINS if name != "two holes"])
def test_distances_are_zero_on_the_boundary_and_positive_inside(name, rng):
    domain = DOMAINS[name]
    inside = domain.inside(rng.random((500, domain.uniforms)))
    edge, _ = domain.edge(rng.random((500, domain.edge_uniforms)))
    distance = jax.vmap(lambda z: domain.distance(z))
    assert (np.asarray(distance(inside)) > 0).all()
    assert np.abs(distance(edge)).max() < 1e-12


@pytest.mark.parametrize("name", EVEN)
def test_volumes_and_densities_are_those_of_points_of_the_bounding_box_that_are_contained(name, rng):
    domain = DOMAINS[name]
    low, high = domain.bounds
    points = low + (high - low) * rng.random((200_000, domain.size))
    kept = points[domain.contains(points)]
    assert domain.volume == pytest.approx(np.prod(high - low) * len(kept) / len(points), rel=0.02)
    own = domain.inside(rng.random((200_000, domain.uniforms)))
    scale = (high - low).max()
    np.testing.assert_allclose(own.mean(axis=0), kept.mean(axis=0), atol=0.01 * scale)
    np.testing.assert_allclose(np.cov(own.T), np.cov(kept.T), atol=0.01 * scale**2)


@pytest.mark.parametrize("name", ["interval", "box", "ball", "cylinder", "ring", "two holes", "nested product"])
def test_the_divergence_theorem_holds(name, rng):
    """∫ div w = ∮ w·n for w = (z_i³) in each coordinate: points fill boundary and inside evenly, with right areas."""
    domain = DOMAINS[name]
    inside = domain.inside(rng.random((200_000, domain.uniforms)))
    edge, normals = domain.edge(rng.random((200_000, domain.edge_uniforms)))
    within = domain.volume * np.mean(3 * inside**2, axis=0)
    through = domain.area * np.mean(edge**3 * normals, axis=0)
    np.testing.assert_allclose(through, within, rtol=0.02)


def test_volumes_that_are_no_floating_point_numbers_are_zero_or_infinite():
    assert pde.Ball([0] * 100_000).volume == pde.Ball([0] * 100_000).area == 0
    assert pde.Box([0] * 2000, [2] * 2000).volume == np.inf and np.isfinite(pde.Box([0] * 2000, [2] * 2000).log_volume)


def test_points_towards_the_ends_have_the_density_of_chebyshev_points_where_coordinates_have_ends(rng):
    domain = (pde.Box([0, -1], [1, 3]) - pde.Ball([0.5, 1], 0.1)) * pde.Ball([0, 0], 2.0) * pde.Time(0, 2)
    unit = rng.random((4000, domain.uniforms))
    changed = domain.towards_ends(unit)
    # P(x < 0.1) = arccos(0.8) / π for the first two numbers, those of the box, and for the last, that of time.
    shares = (changed < 0.1).mean(axis=0)
    np.testing.assert_allclose(shares[[0, 1, -1]], np.arccos(0.8) / np.pi, atol=0.02)
    np.testing.assert_array_equal(changed[:, 2:-1], unit[:, 2:-1])
    assert domain.contains(domain.collocation(changed)).all()


@pytest.mark.parametrize("name", DOMAINS)
def test_a_face_is_where_all_points_stay_inside(name, rng):
    domain = DOMAINS[name]
    for axis, (low, high) in enumerate(zip(*domain.bounds, strict=True)):
        for value in low + (high - low) * np.array([0, 0.05, 0.7, 1, 1.5]):
            points = domain.inside(rng.random((2000, domain.uniforms)))
            points[:, axis] = value
            assert domain.contains(points).all() == domain.has_face(axis, float(value)), (axis, value)
    assert DOMAINS["ball"].has_face(0, 1.0)  # through its centre


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pde.Box([0, 1], [1, 1]), "`Box`"),
        (lambda: pde.Box([0, 0], [1]), "`Box`"),
        (lambda: pde.Interval(0, np.inf), "`Interval`"),
        (lambda: pde.Time(1, 0), r"`Time`.*\n.*pde.Time\(0, 1\)"),
        (lambda: pde.Ball([0, 0], -1.0), "`Ball`"),
        (lambda: pde.Ball([0, 0], np.inf), "`Ball`"),
        (lambda: pde.Ball([0, np.nan]), "`Ball`"),
        (lambda: pde.Ball([0, 0]) - pde.Ball([0, 0, 0], 0.1), "`difference` is of 3 coordinates with 2"),
        (lambda: pde.Ball([0, 0]) - pde.Ball([0, 0]), "`difference`.*no points"),
        (lambda: pde.Ball([0, 0]) & pde.Ball([3, 0]), "`intersection`.*no points"),
        (lambda: pde.Interval(0, 1) | pde.Time(0, 1), "`union` has a time"),
        (lambda: pde.Parameter(1, 0), r"pde.Parameter\(0.1, 2\)"),
        (lambda: pde.Ball([0, 0]).named("x=0"), "`name`"),
        (lambda: pde.Ball([0, 0], -1.0), "`Ball` has .* `radius` -1.0"),
        (lambda: pde.Ball([], 1.0), "`Ball` has `centre` "),
        (lambda: pde.Box([], []), "`Box` goes from "),
        (lambda: pde.Time(1, 0), "`Time` goes from "),
    ],
)
def test_what_is_no_domain_is_refused(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: pde.Box("a", "b"),
        lambda: pde.Box([0, [1, 2]], [1, 1]),
        lambda: pde.Ball([0, lambda x: x]),
    ],
)
def test_shapes_are_made_of_numbers(make):
    with pytest.raises(TypeError, match=r"is given .* expected numbers") as caught:
        make()
    assert "0x" not in str(caught.value) and "Fix: pde." in str(caught.value)


@pytest.mark.parametrize("make", [lambda: pde.Interval(0, 1) * 2, lambda: pde.Interval(0, 1) - 2])
def test_domains_have_no_arithmetic_with_numbers(make):
    with pytest.raises(TypeError, match="'Interval' and 'int'"):
        make()

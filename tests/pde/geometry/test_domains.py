"""Points inside and on the boundary, normals, volumes, areas, distances; of shapes, products and differences."""

import itertools
import math
from functools import reduce
from operator import mul

import jax
import numpy as np
import pytest

import dof
from dof import pde
from dof.pde.geometry import rejection

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


@pytest.fixture
def rng():
    return np.random.default_rng(0)


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


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_volume_and_area_of_a_ball_are_those_of_the_formulas(n):
    volume = math.pi ** (n / 2) / math.gamma(n / 2 + 1) * 1.5**n
    ball = pde.Ball([0] * n, 1.5)
    assert (ball.volume, ball.area) == pytest.approx((volume, n / 1.5 * volume), rel=1e-12)


def test_areas_of_the_parts_of_a_cylinder_divide_its_boundary_points(rng):
    radius, height = 2.0, 3.0
    edge, normals = (pde.Ball([0, 0], radius) * pde.Interval(0, height)).edge(rng.random((100_000, 6)))
    lids = np.mean(np.abs(normals[:, 2]) == 1)
    assert lids == pytest.approx(2 * np.pi * radius**2 / (2 * np.pi * radius * (radius + height)), abs=0.01)
    assert np.isin(edge[np.abs(normals[:, 2]) == 1, 2], [0, height]).all()


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


def test_a_ball_times_an_interval_divides_its_boundary_points_in_a_thousand_dimensions(rng):
    """Area to volume is n / r of the ball and 2 / side of the interval: 1000 to 1000 here."""
    domain = pde.Ball([0] * 1000) * pde.Interval(0, 0.002)
    _, normals = domain.edge(rng.random((2000, domain.edge_uniforms)))
    assert np.mean(np.abs(normals[:, 1000]) == 1) == pytest.approx(0.5, abs=0.05)


def test_volumes_that_are_no_floating_point_numbers_are_zero_or_infinite():
    assert pde.Ball([0] * 100_000).volume == pde.Ball([0] * 100_000).area == 0
    assert pde.Box([0] * 2000, [2] * 2000).volume == np.inf and np.isfinite(pde.Box([0] * 2000, [2] * 2000).log_volume)


def test_time_has_no_boundary(rng):
    domain = DOMAINS["space and time"]
    _, normals = domain.edge(rng.random((100, domain.edge_uniforms)))
    assert not normals[:, 2].any() and domain.is_time.tolist() == [False, False, True]


def test_points_towards_the_ends_have_the_density_of_chebyshev_points_where_coordinates_have_ends(rng):
    domain = (pde.Box([0, -1], [1, 3]) - pde.Ball([0.5, 1], 0.1)) * pde.Ball([0, 0], 2.0) * pde.Time(0, 2)
    unit = rng.random((4000, domain.uniforms))
    changed = domain.towards_ends(unit)
    # P(x < 0.1) = arccos(0.8) / π for the first two numbers, those of the box, and for the last, that of time.
    shares = (changed < 0.1).mean(axis=0)
    np.testing.assert_allclose(shares[[0, 1, -1]], np.arccos(0.8) / np.pi, atol=0.02)
    np.testing.assert_array_equal(changed[:, 2:-1], unit[:, 2:-1])
    assert domain.contains(domain.collocation(changed)).all()


def test_a_crowded_time_crowds_the_points_of_equations_only():
    domain, unit = pde.Interval(0, 1) * pde.Time(-1, 4, crowded=0.05), np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])
    np.testing.assert_allclose(domain.inside(unit)[:, 1], [-1, 1.5, 4])
    # With c = 0.05, 1 + (t − start) / c is 101 at the end, and √101 where its logarithm is half of that.
    np.testing.assert_allclose(domain.collocation(unit)[:, 1], [-1, 0.05 * (np.sqrt(101) - 1) - 1, 4])
    np.testing.assert_array_equal(domain.collocation(unit)[:, 0], [0, 0.5, 1])
    with pytest.raises(dof.ArgumentError, match=r"crowded=0\.01"):
        pde.Time(0, 1, crowded=-1.0)


@pytest.mark.parametrize("name", DOMAINS)
def test_a_face_is_where_all_points_stay_inside(name, rng):
    domain = DOMAINS[name]
    for axis, (low, high) in enumerate(zip(*domain.bounds, strict=True)):
        for value in low + (high - low) * np.array([0, 0.05, 0.7, 1, 1.5]):
            points = domain.inside(rng.random((2000, domain.uniforms)))
            points[:, axis] = value
            assert domain.contains(points).all() == domain.has_face(axis, float(value)), (axis, value)
    assert DOMAINS["ball"].has_face(0, 1.0)  # through its centre


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


@pytest.mark.parametrize("thickness", [0.5, 1e-2, 1e-3])
def test_points_of_a_thin_shell_are_all_in_it_and_fill_it(thickness, rng):
    shell = pde.Ball([0, 0]) - pde.Ball([0, 0], 1 - thickness)
    points = shell.inside(rng.random((2000, shell.uniforms)))
    radii = np.linalg.norm(points, axis=1)
    assert shell.contains(points).all() and radii.min() >= 1 - thickness
    # |z|² is uniform between both radii
    uniform = (radii**2 - (1 - thickness) ** 2) / (1 - (1 - thickness) ** 2)
    assert uniform.mean() == pytest.approx(0.5, abs=0.05)


def test_a_hole_that_leaves_no_points_to_be_found_is_refused(monkeypatch, rng):
    monkeypatch.setattr(rejection, "MOST_ROUNDS", 3)
    monkeypatch.setattr(rejection, "NUMBERS_AT_ONCE", 100)
    shell = pde.Ball([0, 0]) - pde.Ball([0, 0], 1 - 1e-4)
    with pytest.raises(ValueError, match=r"`hole`.*of 500 points"):
        shell.inside(rng.random((500, shell.uniforms)))


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
        (lambda: pde.Shell([0, 0], 2.0, 1.0), "`Shell`"),
        (lambda: pde.Parameter(1, 0), r"pde.Parameter\(0.1, 2\)"),
        (lambda: pde.Polygon([[0, 0], [1, 0]]), "`vertices`"),
        (lambda: pde.Polygon([[0, 0], [1, 0], [2, 0]]), "one line"),
        (lambda: pde.Polygon([[0, 0], [1, 1], [1, 0], [0, 1]]), "crosses"),
        (lambda: pde.Polygon([[0, 0], [3, 0], [3, 2], [1, -1], [0, 2]]), "crosses"),
        (lambda: pde.Polygon([[0, 0], [1, 0], [0, 1]], names=["a"]), "`names`"),
        (lambda: pde.Polygon([[0, 0], [1, 0], [0, 1]], names="abc"), "`names` is 'abc'"),
        (lambda: pde.Polygon([[0, 0], [1], [0, 1]]), "`Polygon` is given"),
        (lambda: pde.Polygon("corners"), "`Polygon` is given 'corners'"),
        (lambda: pde.Polygon([[0, 0], [2, 0], [3, 0], [2, 0], [2, 2]]), "touches itself"),
        (lambda: pde.Cylinder([0, 0, 0], 1.0, 0, 1), r"`Cylinder` has `centre` \[0, 0, 0\]"),
        (lambda: pde.Ball([0, 0]).named("x=0"), "`name`"),
        (lambda: pde.Ball([0, 0], -1.0), "`Ball` has .* `radius` -1.0"),
        (lambda: pde.Ball([], 1.0), "`Ball` has `centre` "),
        (lambda: pde.Box([], []), "`Box` goes from "),
        (lambda: pde.Time(1, 0), "`Time` goes from "),
        (lambda: pde.Cylinder([0, 0], -1.0, 0, 1), "`Cylinder` has `radius` -1.0"),
        (lambda: pde.Cylinder([0, 0], 1.0, 1, 0), "the lower lid first"),
    ],
)
def test_what_is_no_domain_is_refused(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()


def test_a_hole_may_last_as_long_as_the_domain(rng):
    """A hole in space and time touches the ends of time, which are no boundary."""
    whole, hole = pde.Box([-1, -1], [1, 1]) * pde.Time(0, 1), pde.Ball([0, 0], 0.5) * pde.Time(0, 1)
    domain = whole - hole
    edge, normals = domain.edge(rng.random((500, domain.edge_uniforms)))
    assert domain.contains(edge - 1e-6 * normals).all() and not normals[:, 2].any()
    assert domain.volume == pytest.approx(4 - np.pi / 4, rel=1e-12)


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

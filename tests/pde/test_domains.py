"""Points inside, points on the boundary with normals, distances; of shapes, products and differences."""

import jax
import jax.numpy as jnp
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
}
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("name", DOMAINS)
def test_points_lie_where_they_should(name):
    domain = DOMAINS[name]
    inside = domain.inside(RNG.random((500, domain.uniforms)))
    edge, normals = domain.edge(RNG.random((500, domain.edge_uniforms)))
    distance = jax.vmap(lambda z: domain.distance(z))
    assert inside.shape == edge.shape == normals.shape == (500, domain.size)
    assert domain.contains(inside).all()
    assert (np.asarray(distance(inside)) > 0).all()
    assert np.abs(distance(edge)).max() < 1e-12
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-12)
    assert domain.contains(edge - 1e-6 * normals).all() and not domain.contains(edge + 1e-6 * normals).any()


@pytest.mark.parametrize("name", ["box", "ball", "cylinder", "ring"])
def test_the_divergence_theorem_holds_for_them(name):
    """∫ div w = ∮ w·n, for w = (x₀³, 0, …): points fill the domain evenly, and the normals are right."""
    domain = DOMAINS[name]
    inside = domain.inside(RNG.random((200_000, domain.uniforms)))
    edge, normals = domain.edge(RNG.random((200_000, domain.edge_uniforms)))
    within = domain.volume * np.mean(3 * inside[:, 0] ** 2)
    through = domain.area * np.mean(edge[:, 0] ** 3 * normals[:, 0])
    assert through == pytest.approx(within, rel=0.02)


def test_time_has_no_boundary():
    _, normals = DOMAINS["space and time"].edge(RNG.random((100, DOMAINS["space and time"].edge_uniforms)))
    assert not normals[:, 2].any()


@pytest.mark.parametrize("name", DOMAINS)
def test_points_stay_inside_on_a_face_and_on_nothing_else(name):
    domain = DOMAINS[name]
    for axis, (low, high) in enumerate(zip(*domain.bounds, strict=True)):
        for value in low + (high - low) * np.array([0, 0.7, 1, 1.5]):
            points = domain.inside(RNG.random((2000, domain.uniforms)))
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
        (lambda: pde.Ball([0, 0]) - pde.Ball([3, 0]), "`hole`"),
        (lambda: pde.Ball([0, 0]) - pde.Ball([0, 0, 0], 0.1), "`hole`"),
        (lambda: (pde.Ball([0, 0], 3.0) - pde.Box([0, 0], [1, 1])).distance(jnp.ones(2)), "hard=False"),
    ],
)
def test_what_is_no_domain_is_refused(make, said):
    with pytest.raises(ValueError, match=said):
        make()


@pytest.mark.parametrize("make", [lambda: pde.Interval(0, 1) * 2, lambda: pde.Interval(0, 1) - 2])
def test_domains_have_no_arithmetic_with_numbers(make):
    with pytest.raises(TypeError, match="'Interval' and 'int'"):
        make()

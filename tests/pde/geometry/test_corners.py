"""Corners that point inwards: functions with the exponent of solutions there, as distance and as features."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.extend import enable_x64

L_OF_BOXES = pde.Box([-1, -1], [1, 1]) - pde.Box([0, 0], [1, 1])
L_OF_EDGES = pde.Polygon([[-1, -1], [1, -1], [1, 0], [0, 0], [0, 1], [-1, 1]])
ARROW = pde.Polygon([[0, 0], [3, 1], [0, 2], [1, 1]])  # a corner at (1, 1), with sides along (−1, ±1)
UNION = pde.Box([0, 0], [2, 1]) | pde.Box([0, 0], [1, 3])
TIMES = {"boxes": L_OF_BOXES * pde.Time(0, 1), "edges": pde.Time(0, 1) * L_OF_EDGES}
DOMAINS = {"boxes": L_OF_BOXES, "edges": L_OF_EDGES, "arrow": ARROW, "union": UNION}


def points(domain, n=400):
    rng = np.random.default_rng(0)
    return domain.inside(rng.random((n, domain.uniforms))), domain.edge(rng.random((n, domain.edge_uniforms)))[0]


@pytest.mark.parametrize("name", DOMAINS)
def test_the_function_of_a_corner_is_harmonic_positive_inside_and_zero_on_both_sides(name):
    domain = DOMAINS[name]
    (corner,) = domain.corners
    assert np.isclose(corner.angle, 1.5 * np.pi)
    inside, edge = points(domain)
    with enable_x64():
        first = lambda z: corner.functions(z)[0]  # noqa: E731
        assert jax.vmap(first)(inside).min() > 0
        laplacians = jax.jit(jax.vmap(lambda z: jnp.trace(jax.hessian(first)(z))))(inside)
        assert np.abs(laplacians).max() < 1e-9 * np.abs(jax.vmap(jax.hessian(first))(inside)).max()
        at = np.abs(jax.vmap(first)(edge))
    # Points of the boundary on the sides of the corner are those at which the domain is not convex.
    assert 0.2 < (at < 1e-12).mean() < 0.6


@pytest.mark.parametrize("name", DOMAINS)
def test_the_distance_rises_with_the_power_of_the_angle(name):
    domain = DOMAINS[name]
    (corner,) = domain.corners
    inside, edge = points(domain)
    with enable_x64():
        distance = jax.jit(jax.vmap(domain.distance))
        assert np.abs(distance(edge)).max() < 1e-12 and distance(inside).min() > 0
        near = corner.place + np.array([[1e-4], [1e-5]]) * corner.middle
        far, close = distance(near)
        assert np.isclose(np.log10(far / close), 2 / 3, rtol=1e-2)
        assert np.isfinite(jax.grad(domain.distance)(jnp.asarray(corner.place))).all()


@pytest.mark.parametrize("name", TIMES)
def test_features_of_corners_are_those_of_space(name):
    domain = TIMES[name]
    with enable_x64():
        z = domain.inside(np.random.default_rng(0).random((1, domain.uniforms)))[0]
        features = domain.corner_features(jnp.asarray(z))
        space = ~domain.is_time
        own = jnp.stack(L_OF_EDGES.corners[0].functions(jnp.asarray(z[space])))
        low, high = domain.bounds
        np.testing.assert_allclose(features[:3], 2 * (z - low) / (high - low) - 1, rtol=1e-12)
        np.testing.assert_allclose(np.arctan2(*features[3:]), np.arctan2(*own), rtol=1e-9)


def test_a_domain_without_such_corners_has_its_coordinates():
    assert pde.Ball([0, 0]).corner_features(jnp.zeros(2)).shape == (2,)
    assert (pde.Box([0, 0], [2, 2]) - pde.Box([0, 1], [2, 2])).corners == ()

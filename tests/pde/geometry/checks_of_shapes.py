"""What holds for a shape whose volume and area are known."""

import jax
import jax.numpy as jnp
import numpy as np

from dof.extend import enable_x64

PI = np.pi
CORNER = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]]


def edge_of(domain, n, rng):
    return domain.edge(rng.random((n, domain.edge_uniforms)))


def assert_inside_and_normals(domain, rng):
    inside = domain.inside(rng.random((2000, domain.uniforms)))
    edge, normals = edge_of(domain, 2000, rng)
    assert domain.contains(inside).all()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, rtol=1e-12)
    # 1e-8: nearer than that to a corner no point of 2000 is.
    assert domain.contains(edge - 1e-8 * normals).all() and not domain.contains(edge + 1e-8 * normals).any()


def assert_divergence_theorem(domain, volume, area, rng):
    """∫ div w = ∮ w·n to five standard deviations of both sums, for w with other coordinates in each component."""
    z = domain.inside(rng.random((30_000, domain.uniforms)))
    edge, normals = edge_of(domain, 30_000, rng)
    low, high = domain.bounds
    scaled = lambda z: (2 * z - low - high) / (high - low)  # noqa: E731
    # In one dimension the other coordinate is the same one, and has a derivative.
    through = area * (scaled(edge) ** 3 + np.roll(scaled(edge), 1, axis=1)) * normals
    within = volume * (3 * scaled(z) ** 2 + (domain.size == 1)) * 2 / (high - low)
    deviation = np.sqrt((through.var(axis=0) + within.var(axis=0)) / len(z))
    assert (np.abs(through.mean(axis=0) - within.mean(axis=0)) < 5 * deviation).all()
    assert (deviation < 0.05 * np.abs(area * normals).mean(axis=0)).all()


def assert_boundary(domain, rng):
    edge, _ = edge_of(domain, 1000, rng)
    with enable_x64():
        assert np.abs(jax.vmap(domain.signed_distance)(jnp.asarray(edge))).max() < 1e-12


def assert_distances(domain, rng):
    inside = domain.inside(rng.random((300, domain.uniforms)))
    edge, normals = edge_of(domain, 300, rng)
    with enable_x64():
        value_and_slope = jax.jit(jax.vmap(jax.value_and_grad(domain.distance)))
        values, _ = value_and_slope(jnp.asarray(inside))
        on_edge, slopes = value_and_slope(jnp.asarray(edge))
    assert values.min() > 0 and values.max() < 3 and np.abs(on_edge).max() < 1e-12
    # It rises from the boundary inwards.
    assert np.isfinite(slopes).all()
    assert np.mean(np.sum(np.asarray(slopes) * normals, axis=1) < 0) > 0.99

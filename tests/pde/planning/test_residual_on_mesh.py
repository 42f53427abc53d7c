"""A residual is the same on the devices of a mesh, where JAX checks over which devices each value varies."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AxisType

import dof
from dof import pde
from oracle import assert_close, points


@pde.residual("x y")
def known_and_varying_coefficients(u, x, y):
    return u.laplacian + jnp.sin(x) * u.x * u + u**3 + (1 + x**2) * u.xy


@pde.residual("x t")
def higher_order(u, x, t):
    return u.t + 6 * u * u.x + u.xxx


@pde.residual("x y", fields="u v")
def several_fields(u, v, x, y):
    return u.laplacian - v, x * v.x + pde.grad(u)[0] * v.y, 3.0 * v.yy


WEIGHTS = points(2, 5), points(5, 2)


@pytest.mark.parametrize("kind", [AxisType.Auto, AxisType.Explicit])
@pytest.mark.parametrize("residual", [known_and_varying_coefficients, higher_order, several_fields])
def test_same_as_without_mesh(residual, kind):
    mesh, x = jax.make_mesh((1,), ("points",), axis_types=(kind,)), points(5, 2)
    several = residual is several_fields
    net = lambda w, z: jnp.tanh(z @ w[0]) @ w[1] if several else jnp.sum(jnp.tanh(z @ w[0]) @ w[1])  # noqa: E731
    loss = lambda w, z: sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(residual(lambda z: net(w, z))(z)))  # noqa: E731
    on_mesh = dof.batched(lambda z: loss(WEIGHTS, z), chunk=2, mesh=mesh, axis="points")
    assert_close(jax.jit(on_mesh)(x), jax.vmap(lambda z: loss(WEIGHTS, z))(x))
    step = jax.jit(dof.value_and_grad(loss, chunk=2, mesh=mesh, axis="points"))
    mean = lambda w: jnp.mean(jax.vmap(loss, (None, 0))(w, x))  # noqa: E731
    found, expected = step(WEIGHTS, x), jax.value_and_grad(mean)(WEIGHTS)
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert_close(one, other)

"""`clamp` with scalar bounds that depend on x.

JAX itself cannot batch the derivative of such a clamp, so the reference has the bounds in the shape of x.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close, coefficients, reference


def clamped(x):
    return jnp.sum(jax.lax.clamp(jnp.sin(x[0]), x**3, jnp.cos(x[1]) + 1) ** 2)


def with_full_bounds(x):
    low, high = (jnp.broadcast_to(bound, x.shape) for bound in (jnp.sin(x[0]), jnp.cos(x[1]) + 1))
    return jnp.sum(jax.lax.clamp(low, x**3, high) ** 2)


def laplacian(x):
    return jnp.trace(jax.hessian(with_full_bounds)(x))


@pytest.mark.parametrize("structure", ["auto", "sparse", "dense"])
def test_scalar_bounds_that_depend_on_x(structure):
    x = jnp.array([0.3, 0.2, 0.9, 2.0])
    assert_close(*jax.jit(lambda x: (dof.laplacian(clamped, structure=structure)(x), laplacian(x)))(x))


def test_scalar_bounds_with_coefficients_known_and_traced():
    a, b, c = coefficients(4)
    x = jnp.array([0.3, 0.2, 0.9, 2.0])
    expected = reference(a, b, c, with_full_bounds)(x)
    assert_close(jax.jit(dof.Operator(a, b, c)(clamped))(x), expected)
    assert_close(jax.jit(lambda a, b, c: dof.Operator(a, b, c)(clamped)(x))(a, b, c), expected)


def test_scalar_bounds_over_a_batch():
    points = np.random.default_rng(0).normal(size=(5, 4))
    assert_close(*jax.jit(jax.vmap(lambda x: (dof.laplacian(clamped)(x), laplacian(x))))(points))

"""A function of four coordinates, and coefficients of operators on it."""

import jax.numpy as jnp

from oracle import coefficients, normal, points, reference_at

A, B, C = coefficients(4)
L2 = normal(2, 4, seed=3)
x = points(4)


def f(x):
    return jnp.sin(x[0] * x[1]) * jnp.exp(x[2]) + jnp.tanh(x @ x) * x[3] ** 3


of_f = reference_at(f, x)
"""The reference (a, b, c) ↦ L f(x), which almost all tests are about."""

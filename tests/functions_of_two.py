"""Functions of two coordinates, and derivatives by them."""

import jax.numpy as jnp

import dof

X = jnp.array([0.3, 0.7])
dx, dy = dof.derivatives(2)


def f(x):
    return jnp.sin(x[0] * x[1]) * jnp.exp(x[0]) + x[1] ** 5 * x[0] ** 2


def g(x):
    return jnp.sin(x[0] + 2 * x[1])


def h(x):
    return jnp.cos(x[0] * x[1]) + x[0]

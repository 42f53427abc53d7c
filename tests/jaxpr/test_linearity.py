"""Which arguments enter a program linearly, by hand-made programs."""

import jax
import jax.numpy as jnp
import pytest

from dof.jaxpr.linearity import Role, linear_arguments

CASES = {
    "sum with factors": (lambda d, e, u, x: 2 * d - x * e, {0, 1}),
    "product of both": (lambda d, e, u, x: d * e, set()),
    "times an unknown": (lambda d, e, u, x: u * d + e, {1}),
    "divided by given": (lambda d, e, u, x: d / (1 + x**2) + jnp.sin(x) * e, {0, 1}),
    "divides": (lambda d, e, u, x: x / d + e, {1}),
    "nonlinear": (lambda d, e, u, x: jnp.sin(d) + e, {1}),
    "step function": (lambda d, e, u, x: jnp.floor(d) + e, {1}),
    "chosen by an unknown": (lambda d, e, u, x: jnp.where(u > 0, d, 0.0) + e, {1}),
    "chosen by given": (lambda d, e, u, x: jnp.where(x > 0, d, e), {0, 1}),
    "compared": (lambda d, e, u, x: jnp.where(d > 0, x, 0.0) + e, {1}),
    "through a call": (lambda d, e, u, x: jax.jit(lambda a, b: a * b)(x, d) + e**2, {0}),
    "maximum": (lambda d, e, u, x: jnp.maximum(d, x) + e, {1}),
    "in a loop": (lambda d, e, u, x: jax.lax.fori_loop(0, 3, lambda i, c: c + d, x) + e, {1}),
}


@pytest.mark.parametrize("name", CASES)
def test_linear_arguments(name):
    function, expected = CASES[name]
    jaxpr = jax.make_jaxpr(function)(1.0, 2.0, 3.0, 4.0)
    roles = [Role.CANDIDATE, Role.CANDIDATE, Role.UNKNOWN, Role.GIVEN]
    assert linear_arguments(jaxpr, roles) == expected

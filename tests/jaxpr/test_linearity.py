"""Which arguments enter a program linearly, by hand-made programs."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

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
    "in a loop": (lambda d, e, u, x: lax.fori_loop(0, 3, lambda i, c: c + d, x) + e, {1}),
}


@pytest.mark.parametrize("name", CASES)
def test_linear_arguments(name):
    function, expected = CASES[name]
    jaxpr = jax.make_jaxpr(function)(1.0, 2.0, 3.0, 4.0)
    roles = [Role.CANDIDATE, Role.CANDIDATE, Role.UNKNOWN, Role.GIVEN]
    assert linear_arguments(jaxpr, roles) == expected


MATRIX = np.arange(9.0).reshape(3, 3)


@jax.jit
def scaled(a, b):
    """Elementwise, so that the call stays a call."""
    return jnp.sin(a) * b


@jax.custom_jvp
def with_derivative(d):
    return 2 * d


with_derivative.defjvps(lambda t, out, d: 2 * t)

OF_VECTORS = {
    "entries": (lambda d, e, u, x: d[0] + x[1] * d[2] - e[1], {0, 1}),
    "entries of which one is squared": (lambda d, e, u, x: d[0] + d[1] ** 2 + e[0], {1}),
    "several results": (lambda d, e, u, x: (d + e, x * d), {0, 1}),
    "linear in one result only": (lambda d, e, u, x: (d + e, jnp.sin(d)), {1}),
    "not in any result": (lambda d, e, u, x: (jnp.sin(d), e)[1], {0, 1}),
    "times a matrix": (lambda d, e, u, x: MATRIX @ d + e @ MATRIX, {0, 1}),
    "times a matrix of given": (lambda d, e, u, x: jnp.outer(x, jnp.sin(x)) @ d + e, {0, 1}),
    "times a matrix of unknowns": (lambda d, e, u, x: jnp.outer(u, x) @ d + e, {1}),
    "inner product of both": (lambda d, e, u, x: jnp.dot(d, e), set()),
    "inner product with itself": (lambda d, e, u, x: jnp.dot(d, d) + jnp.dot(e, x), {1}),
    "after adding an unknown": (lambda d, e, u, x: x * (d + jnp.sin(u)) + e * u[0], {0}),
    "sum of a product with an unknown": (lambda d, e, u, x: jnp.sum(d * u) + jnp.sum(e * x), {1}),
    "moved": (lambda d, e, u, x: jnp.concatenate([d[::-1], jnp.pad(e, 1), jnp.tile(d, 2), x]), {0, 1}),
    "written into an array": (lambda d, e, u, x: x.at[1].add(d[0]).at[np.array([0, 2])].set(e[:2]), {0, 1}),
    "written where an unknown says": (lambda d, e, u, x: x.at[jnp.argmax(u)].set(d[0]) + e, {1}),
    "taken where given says": (lambda d, e, u, x: d[jnp.argmax(x)] + e[jnp.array([2, 0])], {0, 1}),
    "taken where an unknown says": (lambda d, e, u, x: d[jnp.argmax(u)] + e, {1}),
    "taken where a candidate says": (lambda d, e, u, x: x[jnp.argmax(d)] + e, {1}),
    "taken where it says itself": (lambda d, e, u, x: d[jnp.argmax(d)] + e, {1}),
    "sorted": (lambda d, e, u, x: jnp.sort(d) + e, {1}),
    "largest": (lambda d, e, u, x: jnp.max(d) + jnp.cumsum(e), {1}),
    "rounded": (lambda d, e, u, x: d.astype(int) + e, {1}),
    "in single precision": (lambda d, e, u, x: d.astype(np.float32) + e, {0, 1}),
    "complex parts": (lambda d, e, u, x: jnp.real((d + 1j * x) * 1j) + e, {0, 1}),
    "constant to derivatives": (lambda d, e, u, x: lax.stop_gradient(d) + e, {1}),
    "divided by an unknown": (lambda d, e, u, x: d / u + e, {1}),
    "elementwise call": (lambda d, e, u, x: scaled(x, d) + scaled(e, x), {0}),
    "elementwise call with an unknown": (lambda d, e, u, x: scaled(u, d) + e, {1}),
    "call in a call": (lambda d, e, u, x: jax.jit(lambda a, b: jax.jit(jnp.dot)(a, b) * jnp.sum(a))(x, d) + e, {0, 1}),
    "call in a call, both ways": (lambda d, e, u, x: jax.jit(lambda a: jax.jit(jnp.dot)(a, a))(d) + e, {1}),
    "branches": (lambda d, e, u, x: lax.cond(x[0] > 0, lambda: d, lambda: 2 * d) + e, {1}),
    "derivative of its own": (lambda d, e, u, x: with_derivative(d) + e, {1}),
}


@pytest.mark.parametrize("name", OF_VECTORS)
def test_linear_arguments_that_are_vectors(name):
    function, expected = OF_VECTORS[name]
    roles = [Role.CANDIDATE, Role.CANDIDATE, Role.UNKNOWN, Role.GIVEN]
    jaxpr = jax.make_jaxpr(function)(*(np.linspace(n, n + 1, 3) for n in range(4)))
    assert linear_arguments(jaxpr, roles) == expected


@pytest.mark.parametrize("name", [name for name, (_, expected) in OF_VECTORS.items() if expected])
def test_what_is_called_linear_has_a_jacobian_that_is_the_same_for_all_unknowns(name):
    function, expected = OF_VECTORS[name]
    rng = np.random.default_rng(0)
    given = jnp.asarray(rng.normal(size=3))
    for argument in expected:
        jacobian = jax.jit(lambda d, e, u, f=function, n=argument: jax.jacfwd(f, argnums=n)(d, e, u, given))
        one, two = (jax.tree.leaves(jacobian(*rng.normal(size=(3, 3)))) for _ in range(2))
        for first, second in zip(one, two, strict=True):
            np.testing.assert_allclose(first, second, atol=1e-6)

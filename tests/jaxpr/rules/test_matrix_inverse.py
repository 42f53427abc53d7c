"""The inverse by matrix products, against NumPy."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.jaxpr.rules.matrix_inverse import inverse
from oracle import assert_close


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (3, 3), (2, 1, 13, 13), (32, 32)])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_against_numpy(shape, dtype):
    rng = np.random.default_rng(shape[-1])
    matrix = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype == np.complex128 else 0)
    assert_close(jax.jit(inverse)(matrix), np.linalg.inv(matrix))


def test_zeros_on_the_diagonal_are_pivoted():
    matrix = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [4.0, 0.0, 0.0]])
    assert_close(jax.jit(inverse)(matrix), np.linalg.inv(matrix))


@pytest.mark.parametrize("condition", [1e3, 1e6])
def test_rounding_is_that_of_the_condition(condition):
    rng = np.random.default_rng(0)
    (u, _), (v, _) = (np.linalg.qr(rng.normal(size=(16, 16))) for _ in range(2))
    matrix = (u * np.geomspace(1, 1 / condition, 16)) @ v
    ours, theirs = (np.linalg.norm(jax.jit(f)(matrix) @ matrix - np.eye(16)) for f in (inverse, jnp.linalg.inv))
    assert ours < 1e-14 * condition and ours < 10 * theirs


def test_derivatives():
    matrix, along = np.random.default_rng(1).normal(size=(2, 4, 4))
    of_entries = lambda f: lambda m: jnp.sum(jnp.sin(f(m)))  # noqa: E731
    for derivative in (jax.grad, jax.hessian):
        found, expected = (jax.jit(derivative(of_entries(f)))(matrix) for f in (inverse, jnp.linalg.inv))
        assert_close(found, expected, 1e-8)
    found, expected = (
        jax.jit(lambda m, g, f=f: jax.jvp(f, (m,), (g,))[1])(matrix, along) for f in (inverse, jnp.linalg.inv)
    )
    assert_close(found, expected)

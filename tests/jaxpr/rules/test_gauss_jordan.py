"""Determinants and inverses by elimination, against NumPy and JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.jaxpr.rules.gauss_jordan import slogdet_and_inverse
from oracle import assert_close


def inverse(matrix):
    return slogdet_and_inverse(matrix)[2]


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (3, 3), (2, 1, 13, 13), (32, 32)])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_against_numpy(shape, dtype):
    rng = np.random.default_rng(shape[-1])
    matrix = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype == np.complex128 else 0)
    sign, log, inverted = jax.jit(slogdet_and_inverse)(matrix)
    assert_close([sign, log], list(np.linalg.slogdet(matrix)))
    assert_close(inverted, np.linalg.inv(matrix))


@pytest.mark.parametrize("odd", [False, True])
def test_zeros_on_the_diagonal_are_pivoted(odd):
    matrix = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [4.0, 0.0, 0.0]])[[1, 0, 2] if odd else [0, 1, 2]]
    sign, log, inverted = jax.jit(slogdet_and_inverse)(matrix)
    assert sign == (-1 if odd else 1)
    assert_close(log, np.log(8))
    assert_close(inverted, np.linalg.inv(matrix))


def test_singular_matrices_have_a_determinant_of_zero_and_no_inverse():
    matrix = np.ones((3, 3))
    sign, log, inverted = jax.jit(slogdet_and_inverse)(matrix)
    assert (sign, log) == (0, -np.inf) and not np.any(np.isfinite(inverted))


@pytest.mark.parametrize("condition", [1e3, 1e6])
def test_rounding_is_that_of_the_condition(condition):
    rng = np.random.default_rng(0)
    (u, _), (v, _) = (np.linalg.qr(rng.normal(size=(16, 16))) for _ in range(2))
    matrix = (u * np.geomspace(1, 1 / condition, 16)) @ v
    ours, theirs = (np.linalg.norm(jax.jit(f)(matrix) @ matrix - np.eye(16)) for f in (inverse, jnp.linalg.inv))
    assert ours < 1e-14 * condition and ours < 10 * theirs


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_derivatives(dtype):
    matrix, along = np.random.default_rng(1).normal(size=(2, 2, 4, 4)).astype(dtype)
    matrix = matrix + (0.3j * along if dtype == np.complex128 else 0)

    def by_jax(m):
        sign, log = jnp.linalg.slogdet(m)
        return sign, log, jnp.linalg.inv(m)

    for_all = lambda f: lambda t: [jnp.sin(part) for part in f(matrix + t * along)]  # noqa: E731
    for derivative in (jax.jacfwd, lambda f: jax.jacfwd(jax.jacfwd(f))):
        found, expected = (jax.jit(derivative(for_all(f)))(0.0) for f in (slogdet_and_inverse, by_jax))
        assert_close(found, expected, 1e-8)


def test_gradients_need_no_lapack():
    def loss(m):
        return jnp.sum(slogdet_and_inverse(m)[1] ** 2) + jnp.sum(slogdet_and_inverse(m.mT + 1)[2])

    m = np.random.default_rng(2).normal(size=(5, 4, 4))
    assert "custom_call_target" not in jax.jit(jax.grad(loss)).lower(m).compile().as_text()
    by_jax = jax.jit(jax.grad(lambda m: jnp.sum(jnp.linalg.slogdet(m)[1] ** 2)))
    assert "custom_call_target" in by_jax.lower(m).compile().as_text()

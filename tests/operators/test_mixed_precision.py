"""A coefficient in single precision takes no digits from the others, nor from a function in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close

RNG = np.random.default_rng(0)
A, B, ROWS = RNG.normal(size=(4, 4)), RNG.normal(size=4), RNG.normal(size=(2, 4))
X = jnp.asarray(RNG.normal(size=4))
HALF = 0.5  # exact in every precision


def f(x):
    return jnp.sum(jnp.sin(x) * x**2) * x[0]


def ones(t, *shape):
    return t * jnp.ones(shape, t.dtype)


CASES = {
    "number times a dense matrix": (lambda t: t * dof.Operator(A), HALF * A, 0 * B, 0),
    "number times a diagonal": (lambda t: t * dof.Operator(B), HALF * np.diag(B), 0 * B, 0),
    "number times lower orders": (lambda t: t * dof.Operator(b=B, c=B[0]), 0 * A, HALF * B, HALF * B[0]),
    "sum of vectors": (lambda t: dof.Operator(b=ones(t, 4)) + dof.Operator(b=B), 0 * A, HALF + B, 0),
    "sum of numbers": (lambda t: dof.Operator(c=t) + dof.Operator(c=B[0]), 0 * A, 0 * B, HALF + B[0]),
    "sum of factors": (
        lambda t: dof.Operator(dof.Factored(ones(t, 1, 4))) + dof.Operator(dof.Factored(ROWS)),
        np.full((4, 4), HALF**2) + ROWS.T @ ROWS,
        0 * B,
        0,
    ),
    "composition": (
        lambda t: dof.Operator(b=ones(t, 4)) @ dof.Operator(b=B),
        HALF * np.outer(np.ones(4), B),
        0 * B,
        0,
    ),
}
JOINTLY = {
    "diagonals": (lambda t: (t * dof.laplacian, dof.Operator(B)), np.diag(B), 0 * B, 0),
    "vectors": (lambda t: (dof.Operator(b=ones(t, 4)), dof.Operator(b=B)), 0 * A, B, 0),
    "factors": (lambda t: (dof.laplacian, t * dof.Operator(dof.Factored(ROWS))), HALF * ROWS.T @ ROWS, 0 * B, 0),
}


def expected(a, b, c):
    return jnp.sum(a * jax.hessian(f)(X)) + b @ jax.grad(f)(X) + c * f(X)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("name", CASES)
def test_a_traced_coefficient_of_low_precision(name, dtype):
    operator, *coefficients = CASES[name]
    found = jax.jit(lambda t: operator(t)(f)(X))(dtype(HALF))
    assert found.dtype == jnp.float64
    assert_close(found, expected(*coefficients), 1e-13)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("name", JOINTLY)
def test_another_operator_of_low_precision(name, dtype):
    operators, *coefficients = JOINTLY[name]
    found = jax.jit(lambda t: dof.jointly(*operators(t))(f)(X)[1])(dtype(HALF))
    assert_close(found, expected(*coefficients), 1e-13)

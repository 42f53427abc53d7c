"""Under strict promotion of dtypes, with float32 x and float64 enabled, operators work as they do without."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof

A = np.random.default_rng(1).normal(size=(3, 3))
WEIGHTS = jnp.asarray(np.random.default_rng(0).normal(size=(3, 4)), jnp.float32)
X = jnp.full(3, 0.3, jnp.float32)

OPERATORS = {
    "drift as a function": dof.Operator(b=lambda x: -x),
    "constant matrix": dof.Operator(a=A, b=lambda x: -x, c=2.0),
    "scalar function": dof.Operator(a=lambda x: x[0], c=lambda x: x[1]),
    "dense function": dof.Operator(a=lambda x: jnp.outer(x, x)),
    "scaled by a number": 0.5 * dof.Operator(a=lambda x: x, b=lambda x: -x, c=lambda x: x[1]),
    "scaled by a function": (lambda x: x[0]) * dof.Operator(a=A, b=np.ones(3), c=1.5),
    "sum": dof.laplacian + dof.Operator(a=lambda x: x, b=lambda x: x) + dof.Operator(b=np.ones(3)),
    "composition": dof.Operator(b=lambda x: -x, c=lambda x: x[0]) @ dof.Operator(b=np.ones(3), c=2.0),
    "factored": dof.Operator(a=dof.Factored(np.ones((1, 3)))) + dof.Operator(a=lambda x: dof.Factored(x[None])),
    "complex": dof.Operator(a=(1 + 2j) * A, b=np.ones(3) * 1j, c=0.5j),
    "blocks": dof.Operator(a=lambda x: dof.BlockDiagonal([x[:2, None] * x[:2], jnp.ones((1, 1), x.dtype)])),
}
WAYS = {
    "plain": lambda L, f: L(f),
    "in groups": lambda L, f: L(f, directions=1),
    "dense": lambda L, f: L(f, structure="dense", cut=None),
    "jointly": lambda L, f: lambda x: dof.jointly(L, dof.laplacian)(f)(x)[0],
}


def network(weights, x):
    return jnp.sum(jnp.tanh(x @ weights) * jnp.sin(x[0]))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_under_strict_promotion(name):
    L = OPERATORS[name]
    in_double = dof.check(L, lambda x: network(WEIGHTS.astype(float), x), X.astype(float)).reference

    @jax.jit
    def by_all_ways(x):
        return [way(L, lambda x: network(WEIGHTS, x))(x) for way in WAYS.values()]

    with jax.numpy_dtype_promotion("strict"):
        found = by_all_ways(X)
    for value in found:
        assert value.dtype == (jnp.complex64 if name == "complex" else jnp.float32)
        assert abs(complex(value) - complex(in_double)) < 1e-4 * (1 + abs(complex(in_double)))


def test_gradients_under_strict_promotion():
    loss = lambda w, x: dof.Operator(a=A, b=lambda x: -x)(lambda x: network(w, x))(x) ** 2  # noqa: E731
    points = X * jnp.arange(1, 6, dtype=jnp.float32)[:, None]
    mean = lambda w: jnp.mean(jax.vmap(loss, (None, 0))(w, points))  # noqa: E731
    expected = jax.jit(jax.value_and_grad(mean))(WEIGHTS)
    with jax.numpy_dtype_promotion("strict"):
        found = jax.jit(dof.value_and_grad(loss, chunk=2))(WEIGHTS, points)
    for got, want in zip(found, expected, strict=True):
        assert got.dtype == jnp.float32
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_the_users_function_is_still_traced_with_the_users_setting():
    mixed = lambda x: jnp.sum(x * jnp.ones(3))  # float32 times float64  # noqa: E731
    with jax.numpy_dtype_promotion("strict"), pytest.raises(Exception, match="promotion"):
        dof.laplacian(mixed)(X)

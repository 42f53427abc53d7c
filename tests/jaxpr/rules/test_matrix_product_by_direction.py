"""Matrix products of two sides that depend on x, where few directions occur in each element that is summed."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close, assert_exact, coefficients, normal, points, reference

N, WIDTH = 7, 8
X = points(2 * N)
V, W = (normal(2, WIDTH, seed=n) for n in range(2))
MIX = normal(N, N, 2 * N, seed=2)


def values(x):
    """(N, WIDTH): row j depends on particle j only."""
    return jnp.sin(x.reshape(N, 2) @ V)


def weights(x):
    """(N, N): each element depends on all particles."""
    return jax.nn.softmax(MIX @ x)


def heads(h):
    return h.reshape(N, 2, WIDTH // 2)


def neighbours(x):
    """Row j depends on particles j and j + 1, so that every direction occurs in two rows."""
    return values(x) * jnp.roll(jnp.cos(x.reshape(N, 2) @ W), -1, axis=0)


CASES = {
    "weights times values": lambda x: weights(x) @ values(x),
    "values on the left": lambda x: values(x).T @ weights(x),
    "heads": lambda x: jnp.einsum("ij,jhd->ihd", weights(x), heads(values(x))),
    "batch and heads": lambda x: jnp.einsum(
        "bij,jhd->bhid", jnp.stack([weights(x), weights(x) ** 2]), heads(values(x))
    ),
    "two rows for each direction": lambda x: weights(x) @ neighbours(x),
    "some rows only": lambda x: weights(x) @ jnp.concatenate([values(x)[2:5], jnp.ones((4, WIDTH))]),
    "two summed axes": lambda x: jnp.einsum("ij,ji->", weights(x), values(x)[:, :N]),
    "no direction in common": lambda x: (jnp.ones((3, N)) * jnp.sin(x[0])) @ values(x).at[0].set(1.0),
    "complex": lambda x: jnp.abs(weights(x) @ jnp.exp(1j * values(x))) ** 2,
    "by itself": lambda x: (square := values(x)[:, :N]) @ square,
    "of a vector": lambda x: jnp.tanh(MIX[0] @ x) @ values(x),
}


@pytest.mark.parametrize("group", range(3))
def test_exact(group):
    """Several cases in one compilation, which takes most of the time."""
    names = list(CASES)[group::3]
    assert_exact(lambda x: {name: jnp.sum(jnp.sin(CASES[name](x))) for name in names}, X)


@pytest.mark.parametrize("name", ["weights times values", "two rows for each direction"])
def test_several_operators(name):
    a, b, c = coefficients(2 * N)
    f = lambda x: jnp.sum(jnp.sin(CASES[name](x)))  # noqa: E731
    diagonal = dof.Operator(np.diag(a), b, c)
    found = jax.jit(dof.jointly(diagonal, dof.laplacian)(f))(X)
    expected = reference(np.diag(np.diag(a)), b, c, f)(X), reference(np.eye(2 * N), 0 * b, 0.0, f)(X)
    assert_close(found, expected)


def test_weights_that_depend_on_x():
    f = lambda x: jnp.sum(jnp.sin(CASES["heads"](x)))  # noqa: E731
    found = jax.jit(dof.Operator(lambda x: jnp.cos(x))(f))(X)
    assert_close(found, reference(np.diag(np.cos(X)), np.zeros(2 * N), 0.0, f)(X))


def test_derivative_in_a_weight():
    f = lambda s, x: jnp.sum(jnp.sin(s * CASES["heads"](x)))  # noqa: E731
    slope = jax.grad(lambda s: dof.laplacian(lambda x: f(s, x))(X))(1.3)
    expected = jax.grad(lambda s: jnp.trace(jax.hessian(lambda x: f(s, x))(X)))(1.3)
    assert_close(slope, expected)


def test_fewer_operations():
    """The sums over j run over one j for each direction, not over all of them."""
    size, width = 32, 64
    mix, first = normal(size, size, 3 * size), normal(3, width)
    own = lambda x: jnp.sin(x.reshape(size, 3) @ first)  # noqa: E731
    product = lambda rows: lambda x: jnp.sum(jnp.tanh(jnp.tanh(mix @ x) @ rows(x)))  # noqa: E731

    def flops(f):
        return jax.jit(dof.laplacian(f, cut=None)).lower(jnp.ones(3 * size)).compile().cost_analysis()["flops"]

    # Values that depend on all particles take three products with tangents, these take one.
    assert flops(product(own)) < 0.6 * flops(product(lambda x: own(x) * jnp.cos(jnp.sum(x))))

"""Columns that nothing reads are left out, and what is read stays right."""

import jax
import jax.numpy as jnp
import pytest

import dof
from oracle import assert_close, nested, operator_of

KDV = {(0, 0, 0): 1.0, (1,): 1.0}
X = jnp.array([0.3, -0.2])
A, B = jnp.arange(16.0).reshape(2, 8) / 16, jnp.linspace(-1.0, 1.0, 8)


def slots_of(f):
    """The columns besides the value that the results of equations have, by primitive."""
    return [(e.primitive, e.slots) for e in dof.explain(operator_of(KDV, 2), f, X).equations]


def test_only_the_column_that_is_read_goes_through_the_last_layer():
    f = lambda x: jnp.tanh(x @ A) @ B + 1.0  # noqa: E731
    assert [slots for name, slots in slots_of(f) if name == "add"] == [1]
    twice = lambda x: jnp.tanh(f(x))  # noqa: E731
    assert [slots for name, slots in slots_of(twice) if name == "add"] == [3]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jnp.tanh(x @ A) @ B + x[1],
        lambda x: (lambda h: h[0] * h[1] + jnp.sum(h) - 2 * h[3])(jnp.sin(x @ A)),
        lambda x: jax.nn.relu(jnp.concatenate([jnp.exp(x), 3 * x]) @ B[:4]) + x[0] * x[1],
        lambda x: jax.lax.fori_loop(0, 3, lambda _, h: jnp.tanh(h) + x, x)[0] / 2,
        lambda x: x @ A @ B,
    ],
    ids=["head", "products", "kinks", "loop", "linear"],
)
def test_results_and_gradients_are_those_of_nested_differentiation(f):
    L = operator_of(KDV, 2)
    assert_close(L(f)(X), nested(f, X, KDV), 1e-9)
    scaled = lambda a, x: f(a * x)  # noqa: E731
    found = jax.grad(lambda a: L(lambda x: scaled(a, x))(X))(1.1)
    assert_close(found, jax.grad(lambda a: nested(lambda x: scaled(a, x), X, KDV))(1.1), 1e-9)

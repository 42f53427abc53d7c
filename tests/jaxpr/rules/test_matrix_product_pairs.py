"""Matrix products of two sides that depend on x keep the slots of both."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close, assert_exact, coefficients, normal, points, reference

N, WIDTH = 7, 8
X = points(2 * N)
Q, K, V = (normal(2, WIDTH, seed=n) for n in range(3))


def particles(x, w):
    return jnp.tanh(x.reshape(N, 2) @ w)


def heads(h):
    return h.reshape(N, 2, WIDTH // 2)


CASES = {
    "logits": lambda x: particles(x, Q) @ particles(x, K).T,
    "heads": lambda x: jnp.einsum("ihd,jhd->hij", heads(particles(x, Q)), heads(particles(x, K))),
    "batched": lambda x: jnp.einsum("id,ijd->ij", particles(x, Q), particles(x, K)[None] * jnp.ones((N, 1, 1))),
    "one against another": lambda x: particles(x, Q)[:2] @ particles(x, K)[3:].T,
    "the same": lambda x: particles(x, Q) @ particles(x, Q).T,
    "attention": lambda x: jax.nn.softmax(particles(x, Q) @ particles(x, K).T) @ particles(x, V),
    "mapped": lambda x: jax.vmap(lambda q: particles(x, K) @ q)(particles(x, Q)),
    "complex": lambda x: jnp.abs(particles(x, Q) @ (particles(x, K) * jnp.exp(1j * particles(x, V))).T) ** 2,
}


@pytest.mark.parametrize("group", range(3))
def test_exact(group):
    """Several cases in one compilation, which takes most of the time."""
    names = list(CASES)[group::3]
    assert_exact(lambda x: {name: jnp.sum(jnp.sin(CASES[name](x))) for name in names}, X)


@pytest.mark.parametrize("name", ["logits", "heads", "one against another"])
def test_slots_of_both_sides(name):
    (product,) = [
        e
        for e in dof.explain(dof.laplacian, CASES[name], X, cut=None).equations
        if e.primitive == "dot_general" and e.slots > 2
    ]
    assert product.slots == 4


def test_several_operators():
    a, b, c = coefficients(2 * N)
    f = lambda x: jnp.sum(jnp.sin(CASES["logits"](x)))  # noqa: E731
    diagonal = dof.Operator(np.diag(a), b, c)
    found = jax.jit(dof.jointly(diagonal, dof.laplacian)(f))(X)
    expected = reference(np.diag(np.diag(a)), b, c, f)(X), reference(np.eye(2 * N), 0 * b, 0.0, f)(X)
    assert_close(found, expected)

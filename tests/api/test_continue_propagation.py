"""A propagation in two parts gives what it gives in one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from oracle import assert_close, coefficients, normal, points

X = points(4)
W, V = normal(4, 5), normal(5, 3, seed=1)


def first(x):
    return jnp.tanh(x @ W)


def second(h):
    return {"out": jnp.sin(h @ V), "constant": jnp.arange(3)}


@pytest.mark.parametrize("jit", [False, True])
def test_two_parts_are_the_whole(jit):
    two = lambda x: dof.continue_propagation(second)(dof.propagate(first, dof.laplacian)(x))  # noqa: E731
    found = (jax.jit(two) if jit else two)(X)
    expected = dof.propagate(lambda x: second(first(x))["out"], dof.laplacian)(X)
    assert_close(found["out"], expected)
    assert isinstance(found["constant"], jax.Array)


def test_signs_of_an_indefinite_operator():
    a, _, _ = coefficients(4)
    eigenvalues = np.linalg.eigvalsh((a + a.T) / 2)
    assert (eigenvalues < 0).any() and (eigenvalues > 0).any()
    L = dof.Operator(a)
    half = dof.propagate(first, L)(X)
    whole = dof.propagate(lambda x: second(first(x))["out"], L)(X)
    rows = np.asarray(dof.propagate(lambda x: x, L)(X).tangents)
    signs = np.sign(np.linalg.lstsq(np.stack([np.outer(r, r).ravel() for r in rows]).T, (a + a.T).ravel() / 2)[0])
    assert_close(dof.continue_propagation(second, signs)(half)["out"], whole)


def test_several_triples_and_constants_among_the_arguments():
    left, right = (dof.propagate(f, dof.laplacian)(X) for f in (jnp.sin, jnp.cos))
    f = lambda params, pair, *, power: jnp.sum(params * pair[0] * pair[1] ** power)  # noqa: E731
    found = dof.continue_propagation(f)(W[:, 0], (left, right), power=3)
    expected = dof.propagate(lambda x: jnp.sum(W[:, 0] * jnp.sin(x) * jnp.cos(x) ** 3), dof.laplacian)(X)
    assert_close(found, expected)


def test_known_tangents_keep_their_zeros():
    def applied(x, w, tangents):
        f = lambda x: jnp.sum(jnp.tanh(x.reshape(32, 2) @ w))  # noqa: E731
        return dof.continue_propagation(f, cut=None)(dof.Triple(x, tangents, None)).applied

    def flops(function, *args):
        return jax.jit(function).lower(*args).compile().cost_analysis()["flops"]

    x, w = jnp.ones(64), jnp.ones((2, 64))
    known = lambda x, w: applied(x, w, np.eye(64))  # noqa: E731
    assert flops(known, x, w) < flops(applied, x, w, jnp.eye(64)) / 5


@pytest.mark.parametrize("signs", [[1, 1, 1, 1], np.ones(4, int), jnp.ones(4, np.float32)])
def test_signs_in_other_types(signs):
    half, whole = (dof.propagate(f, dof.laplacian)(X) for f in (first, lambda x: second(first(x))["out"]))
    assert_close(dof.continue_propagation(second, signs)(half)["out"], whole)


def test_operator_of_first_order_has_no_directions():
    L = dof.Operator(b=np.arange(4.0))
    half, whole = (dof.propagate(f, L)(X) for f in (first, lambda x: second(first(x))["out"]))
    assert_close(dof.continue_propagation(second)(half)["out"], whole)


def test_integers_are_constant():
    number = dof.propagate(lambda x: jnp.arange(4), dof.laplacian)(X)
    assert isinstance(dof.continue_propagation(lambda n: n**2)(number), jax.Array)
    half, whole = (dof.propagate(f, dof.laplacian)(X) for f in (jnp.sin, lambda x: jnp.arange(4) * jnp.sin(x)))
    assert_close(dof.continue_propagation(jnp.multiply)(number, half), whole)


def test_strict_promotion():
    half = jax.tree.map(lambda part: part.astype(np.float32), dof.propagate(jnp.sin, dof.laplacian)(X))
    with jax.numpy_dtype_promotion("strict"):
        found = dof.continue_propagation(jnp.tanh)(half)
    assert {part.dtype for part in jax.tree.leaves(found)} == {np.dtype(np.float32)}
    assert_close(found, dof.propagate(lambda x: jnp.tanh(jnp.sin(x)), dof.laplacian)(X), 1e-5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda t: dof.continue_propagation(first)(X), "`args` have no triple"),
        (lambda t: dof.continue_propagation(lambda a, b: a + b)(t, dof.Triple(X, X[None], None)), "1, 4 directions"),
        (lambda t: dof.continue_propagation(first, np.ones(3))(t), r"`signs` have shape \(3,\)"),
        (lambda t: dof.continue_propagation(first, np.ones(4) * 1j)(t), "`signs` are complex"),
        (
            lambda t: dof.continue_propagation(first)(dof.Triple(X, t.tangents[:, :2], None)),
            r"tangents of shape \(4, 2\)",
        ),
        (lambda t: dof.continue_propagation(first)(dof.Triple(X, t.tangents, X[None])), r"applied of shape \(1, 4\)"),
        (lambda t: dof.continue_propagation(first)(dof.Triple(X, t.tangents, 1j * X)), "complex applied"),
    ],
)
def test_errors(wrong, message):
    with pytest.raises(dof.ArgumentError, match=message):
        wrong(dof.propagate(jnp.sin, dof.laplacian)(X))

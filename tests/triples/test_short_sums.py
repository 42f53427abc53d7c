"""Sums of slices equal plain sums, under every transformation, and are taken for short axes only."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.triples.short_sums import MOST_TERMS, total, total_in_front


def _primitives(function, *args):
    found = set()

    def walk(jaxpr):
        for eqn in jaxpr.eqns:
            found.add(eqn.primitive.name)
            for value in eqn.params.values():
                walk(value.jaxpr) if hasattr(value, "jaxpr") else None

    walk(jax.make_jaxpr(function)(*args).jaxpr)
    return found


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((4, 3), (1,)), ((2, 3, 4), (0, 2)), ((3,), (0,)), ((5, 1), (1,)), ((2, 50), (1,)), ((0, 3), (0,))],
)
def test_equals_the_plain_sum(shape, axes):
    x = np.random.default_rng(0).normal(size=shape)
    np.testing.assert_allclose(total(jnp.asarray(x), axes), x.sum(axes), rtol=1e-13, atol=1e-13)


def test_short_axes_are_sliced_and_long_ones_are_not():
    short, long = jnp.ones((3, MOST_TERMS)), jnp.ones((3, MOST_TERMS + 1))
    assert "reduce_sum" not in _primitives(lambda x: total(x, (1,)), short)
    assert "reduce_sum" in _primitives(lambda x: total(x, (1,)), long)


def test_a_stack_of_long_rows_is_not_sliced():
    assert "reduce_sum" in _primitives(total_in_front, jnp.ones((3, 64)))
    assert "reduce_sum" not in _primitives(total_in_front, jnp.ones((3, 4, 1)))
    assert total_in_front(jnp.arange(3.0)) == 3


def test_the_gradient_is_a_broadcast():
    x, weights = np.random.default_rng(0).normal(size=(2, 3, 4))
    function = lambda x: jnp.sum(total(x, (0,)) * weights[0])  # noqa: E731
    np.testing.assert_allclose(jax.grad(function)(x), np.broadcast_to(weights[0], x.shape), rtol=1e-14)
    assert "pad" not in _primitives(jax.grad(function), x)


def test_mapped_and_nested_derivatives():
    x = np.random.default_rng(0).normal(size=(5, 3, 4))
    np.testing.assert_allclose(jax.vmap(lambda y: total(y, (0,)))(x), x.sum(1), rtol=1e-14)
    cube = lambda y: jnp.sum(total(y**3, (0,)))  # noqa: E731
    np.testing.assert_allclose(jax.hessian(cube)(x[0]).reshape(12, 12), np.diag(6 * x[0].ravel()), rtol=1e-13)

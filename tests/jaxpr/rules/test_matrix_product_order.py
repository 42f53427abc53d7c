"""The order of factors that the rule for matrix products chooses changes no result."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from dof.jaxpr.rules.matrix_product_order import ordered_product
from oracle import assert_exact, normal, points

# Shapes of both factors and the dimension numbers ((contracted), (batch)).
CASES = {
    "v · p of attention": ((5, 2, 3), (2, 4, 5), (((0,), (2,)), ((1,), (0,)))),
    "two contracted axes": ((3, 4, 2), (6, 3, 4), (((0, 1), (1, 2)), ((), ()))),
    "contracted in another order": ((4, 3, 2), (6, 3, 4), (((1, 0), (1, 2)), ((), ()))),
    "a vector on the left": ((5, 3), (5,), (((0,), (0,)), ((), ()))),
    "as it should be": ((2, 5), (5, 3), (((1,), (0,)), ((), ()))),
    "several free axes": ((5, 2, 3), (4, 6, 5), (((0,), (2,)), ((), ()))),
}


@pytest.mark.parametrize("precision", [None, (lax.Precision.HIGHEST, lax.Precision.DEFAULT)], ids=["one", "two"])
def test_the_result_is_that_of_dot_general(precision):
    for name, (left, right, numbers) in CASES.items():
        a, b = np.asarray(normal(*left, seed=1)), np.asarray(normal(*right, seed=2))
        jaxpr = jax.make_jaxpr(lambda a, b, n=numbers: lax.dot_general(a, b, n, precision=precision))(a, b)
        (eqn,) = jaxpr.eqns
        both = lambda a, b, p=eqn.params: [ordered_product(lax.dot_general_p, p, c, a, b) for c in (False, True)]  # noqa: E731
        for found in jax.jit(both)(a, b):
            np.testing.assert_allclose(found, lax.dot_general(a, b, numbers), rtol=1e-12, atol=1e-12, err_msg=name)


def order_of(a, b, numbers, is_constant):
    """The dimension numbers of the product that is computed, and the primitives."""
    (eqn,) = jax.make_jaxpr(lambda a, b: lax.dot_general(a, b, numbers))(a, b).eqns
    ordered = jax.make_jaxpr(lambda a, b: ordered_product(lax.dot_general_p, eqn.params, is_constant, a, b))(a, b).eqns
    return ordered[0].params["dimension_numbers"], [e.primitive.name for e in ordered]


def test_the_factor_that_ends_in_what_is_contracted_is_on_the_left():
    p, v = jnp.ones((2, 4, 5)), jnp.ones((5, 2, 3))
    found = order_of(v, p, (((0,), (2,)), ((1,), (0,))), is_constant=False)
    assert found == ((((2,), (0,)), ((0,), (1,))), ["dot_general", "transpose"])


def test_of_two_such_factors_the_one_that_is_the_same_for_all_points_is_on_the_right():
    w, v, numbers = jnp.ones((3, 5)), jnp.ones((5,)), (((1,), (0,)), ((), ()))
    assert order_of(w, v, numbers, is_constant=False) == (numbers, ["dot_general"])
    assert order_of(w, v, numbers, is_constant=True)[0] == (((0,), (1,)), ((), ()))


def test_attention_is_exact():
    x, w = points(12), normal(3, 4, seed=3)

    def attention(x):
        h = jnp.tanh(x.reshape(4, 3) @ w).reshape(4, 2, 2)
        weights = jax.nn.softmax(jnp.einsum("ihd,jhd->hij", h, h))
        return jnp.sum(jnp.sin(jnp.einsum("hij,jhd->ihd", weights, h)))

    assert_exact(attention, x)

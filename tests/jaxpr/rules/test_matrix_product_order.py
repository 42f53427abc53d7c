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
        found = jax.jit(lambda a, b, p=eqn.params: ordered_product(lax.dot_general_p, p, a, b))(a, b)
        np.testing.assert_allclose(found, lax.dot_general(a, b, numbers), rtol=1e-12, atol=1e-12, err_msg=name)


def test_the_factor_that_ends_in_what_is_contracted_is_on_the_left():
    p, v = jnp.ones((2, 4, 5)), jnp.ones((5, 2, 3))
    (eqn,) = jax.make_jaxpr(lambda v, p: lax.dot_general(v, p, (((0,), (2,)), ((1,), (0,)))))(v, p).eqns
    swapped = jax.make_jaxpr(lambda v, p: ordered_product(lax.dot_general_p, eqn.params, v, p))(v, p).eqns
    assert [e.primitive.name for e in swapped] == ["dot_general", "transpose"]
    assert swapped[0].params["dimension_numbers"] == (((2,), (0,)), ((0,), (1,)))


def test_attention_is_exact():
    x, w = points(12), normal(3, 4, seed=3)

    def attention(x):
        h = jnp.tanh(x.reshape(4, 3) @ w).reshape(4, 2, 2)
        weights = jax.nn.softmax(jnp.einsum("ihd,jhd->hij", h, h))
        return jnp.sum(jnp.sin(jnp.einsum("hij,jhd->ihd", weights, h)))

    assert_exact(attention, x)

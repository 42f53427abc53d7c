"""A product that is only summed over points is computed before the sum, and nothing changes otherwise."""

import jax
import jax.numpy as jnp
import numpy as np

from dof.batching.products_before_sums import run_with_products_before_sums


def _run(f, *args):
    return run_with_products_before_sums(jax.make_jaxpr(f)(*args), args)


def _settled(f, *args):
    return str(jax.make_jaxpr(lambda *a: _run(f, *a))(*args)).count("reduce_precision")


X = np.random.default_rng(0).normal(size=(5, 2, 3))


def test_the_results_are_the_same():
    f = lambda x: (jnp.sum(x * jnp.sin(x), axis=0), 2.0 * x, jnp.sum(x))  # noqa: E731
    for found, wanted in zip(_run(f, X), f(X), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_a_product_with_one_use_is_settled():
    assert _settled(lambda x: jnp.sum(x * jnp.sin(x), axis=0), X) == 1
    assert _settled(lambda x: jnp.sum(jnp.sin(x), axis=0), X) == 0


def test_a_product_that_is_used_otherwise_or_summed_along_other_axes_is_not():
    def used_twice(x):
        product = x * jnp.sin(x)
        return jnp.sum(product, axis=0) + product[0]

    assert _settled(used_twice, X) == 0
    assert _settled(lambda x: jnp.sum(x * jnp.sin(x), axis=-1), X) == 0

"""Networks end to end: values, and gradients in parameters and in x, under jit and vmap."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from networks import NETWORKS, transformer_block
from oracle import assert_close, coefficients, reference


@pytest.mark.parametrize("name", NETWORKS)
def test_values_and_gradients(name):
    f, params, x = NETWORKS[name]
    a, b, c = coefficients(x.size)
    L = dof.Operator(a, b, c)
    batch = jnp.stack([x, 0.9 * x])

    def loss(params, batch):
        return jnp.mean(jax.vmap(L(f, argnums=1), in_axes=(None, 0))(params, batch) ** 2)

    def reference_loss(params, batch):
        return jnp.mean(jax.vmap(reference(a, b, c, lambda x: f(params, x)))(batch) ** 2)

    found, expected = (jax.jit(jax.value_and_grad(of, argnums=(0, 1)))(params, batch) for of in (loss, reference_loss))
    assert_close(found, expected, tolerance=1e-9)


@pytest.mark.parametrize("name", ["mlp", "transformer_block", "wave_function", "deep_by_scan"])
def test_float32_is_as_exact_as_the_hessian(name):
    """Against float64, over so many points that luck counts little: no worse than twice the Hessian in float32."""
    f, params, x = NETWORKS[name]
    a, b, c = coefficients(x.size)
    points = x + 0.1 * np.random.default_rng(1).normal(size=(64, *x.shape))
    single = jax.tree.map(lambda v: v.astype(np.float32), (params, points))
    double = jax.tree.map(lambda v: v.astype(np.float64), single)

    def by_hessian(params, x):
        coefficient = [jnp.asarray(v, x.dtype) for v in (a, b, c)]
        return reference(*coefficient, lambda x: f(params, x))(x)

    hessian = jax.jit(jax.vmap(by_hessian, in_axes=(None, 0)))
    truth = hessian(*double)
    scale = np.abs(truth).max()
    hessian_error = np.sqrt(np.mean((hessian(*single) - truth) ** 2)) / scale
    found = jax.jit(jax.vmap(dof.Operator(a, b, c)(f, argnums=1), in_axes=(None, 0)))(*single)
    assert found.dtype == np.float32
    assert np.sqrt(np.mean((found - truth) ** 2)) / scale <= max(2 * hessian_error, 2e-7)


def test_attention_of_jax():
    """Its softmax is in float32, so that is how far two ways can agree."""
    _, params, x = NETWORKS["transformer_block"]
    a, b, c = coefficients(x.size)
    f = lambda x: transformer_block(params, x, attention=jax.nn.dot_product_attention)  # noqa: E731
    expected = reference(a, b, c, lambda x: transformer_block(params, x))(x)
    assert_close(jax.jit(dof.Operator(a, b, c)(f))(x), expected, tolerance=1e-5)

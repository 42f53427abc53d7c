"""Products of a gradient, written so that XLA transposes no long factor, have the same values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import dof
from dof.batching.gradient_program import rewritten


def layers(w, x):
    return jnp.sum(lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, w)[0])


def batches(w, x):
    return jnp.sum(jnp.einsum("bij,bjk->bik", x, w, precision=("highest", "default")) ** 2)


def three_axes(w, x):
    return jnp.sum(jnp.einsum("bij,jkl->bkil", x, w) ** 3)


def used_twice(w, x):
    product = lax.dot_general(w, x, (((1,), (0,)), ((), ())))
    return jnp.sum(product.T * 2.0) + jnp.sum(product**2)


CASES = [
    (layers, (4, 3, 3), (7, 3)),
    (batches, (4, 3, 5), (4, 2, 3)),
    (three_axes, (3, 5, 2), (4, 2, 3)),
    (used_twice, (4, 3), (3, 5)),
]


def random(shape):
    return jnp.asarray(np.random.default_rng(len(shape)).normal(size=shape))


@pytest.mark.parametrize(("f", "w", "x"), CASES, ids=lambda case: getattr(case, "__name__", None))
def test_the_order_of_factors_changes_no_result(f, w, x):
    step, args = jax.value_and_grad(f, argnums=(0, 1)), (random(w), random(x))
    both = jax.jit(lambda *args: (rewritten(step)(*args), step(*args)))(*args)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), *both)


@pytest.mark.parametrize(("f", "w", "x"), CASES[:2], ids=lambda case: getattr(case, "__name__", None))
def test_gradients_transpose_no_products(f, w, x):
    step, args = jax.grad(f), (random(w), random(x))
    count = lambda step: str(jax.make_jaxpr(step)(*args)).count("transpose[")  # noqa: E731
    assert count(rewritten(step)) == 0 < count(step)


def test_training_steps_transpose_no_products():
    w, x = random((3, 3)), random((7, 3))
    loss = lambda w, x: dof.laplacian(lambda x: jnp.sum(jnp.tanh(jnp.tanh(x @ w) @ w)))(x) ** 2  # noqa: E731
    text = str(jax.make_jaxpr(dof.value_and_grad(loss, chunk=None))(w, x))
    assert "transpose[" in str(jax.make_jaxpr(jax.grad(lambda w: jnp.mean(jax.vmap(loss, (None, 0))(w, x))))(w))
    assert "transpose[" not in text


def test_a_linear_solve_in_the_loss_keeps_its_programs():
    """Its programs come in a named tuple."""
    matrix, points = jnp.eye(3) + 0.1, jnp.ones((4, 3))

    def loss(scale, x):
        return jnp.sum(jnp.linalg.solve(scale * matrix, x) ** 2)

    value, gradient = dof.value_and_grad(loss)(2.0, points)
    expected = jax.value_and_grad(lambda scale: jnp.mean(jax.vmap(lambda x: loss(scale, x))(points)))(2.0)
    assert abs(value - expected[0]) < 1e-12 and abs(gradient - expected[1]) < 1e-12

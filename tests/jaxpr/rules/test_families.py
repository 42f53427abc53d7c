"""Each rule against the oracle, family by family."""

import jax
import jax.numpy as jnp
import jax.scipy.special
import numpy as np
import pytest

from jaxpr.rules import cases
from oracle import assert_exact, points

SHAPES = [(), (3,), (3, 4), (0,), (3, 1)]


@pytest.mark.parametrize("name", cases.ELEMENTWISE)
def test_elementwise(name):
    assert_exact(cases.ELEMENTWISE[name], points(3, 2))


@pytest.mark.parametrize("name", cases.ACTIVATIONS)
def test_activations(name):
    assert_exact(cases.ACTIVATIONS[name], points(5, low=-2.5, high=2.5))


@pytest.mark.parametrize("name", cases.INDEXING)
def test_indexing(name):
    assert_exact(cases.INDEXING[name], points(3, 4))


@pytest.mark.parametrize("name", cases.REDUCTIONS)
def test_reductions(name):
    assert_exact(cases.REDUCTIONS[name], points(3, 4))


@pytest.mark.parametrize("name", cases.BILINEAR)
def test_bilinear(name):
    assert_exact(cases.BILINEAR[name], points(3, 4))


@pytest.mark.parametrize("name", cases.LINALG)
def test_linalg(name):
    if name == "svd_full" and jax.__version_info__ < (0, 9, 0):
        pytest.skip("JAX up to 0.8 has no derivative of a full singular value decomposition")
    assert_exact(cases.LINALG[name], points(4))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["tanh", "mul", "div", "pow_both", "where", "max_min", "logaddexp", "complex"])
def test_shapes(name, shape):
    assert_exact(cases.ELEMENTWISE[name], points(*shape))


def test_broadcast_against_each_other():
    assert_exact(lambda x: jnp.sin(x[:3, None]) * x[3:] + x[:3, None] / x[3:], points(7))


def test_scalar_against_array():
    assert_exact(lambda x: x[0] * jnp.arange(3.0) + jnp.arange(3.0) ** x[1] - x[0], points(2))


def test_pytree_in_and_out():
    x = {"a": points(2, 2), "b": (points(3), points())}
    assert_exact(lambda x: {"u": x["a"] @ x["a"] * x["b"][1], "v": [jnp.prod(x["b"][0]), 2.0]}, x)


def test_results_that_do_not_depend_on_x():
    assert_exact(lambda x: (jnp.arange(3.0), x**2, np.float64(4.0)), points(2))


@pytest.mark.parametrize("step", [jnp.add, jnp.subtract, jnp.multiply, jnp.divide, jnp.power, jnp.maximum, jnp.arctan2])
def test_axes_of_size_one(step):
    """Operands that broadcast against each other, both varying, and either of them constant."""
    constant = points(1, 4)
    assert_exact(lambda x: step(x[:3, None], x[None, 3:]), points(7))
    assert_exact(lambda x: [step(x[:, None], constant), step(constant, x[:, None]), step(x[0], constant)], points(3))


@pytest.mark.parametrize("f", [jnp.abs, jax.scipy.special.i0, jax.nn.relu, lambda x: jnp.hypot(x, x + 1), jnp.sinc])
def test_where_jax_must_choose(f):
    """At a kink, what JAX takes for the derivative."""
    assert_exact(f, jnp.zeros(2))

"""`dof.value_and_grad` refuses parameters that have no derivative, by its own message."""

import jax.numpy as jnp
import pytest

import dof


def test_integer_parameters_are_refused_with_their_place():
    loss = lambda params, x: params["scale"] * jnp.sum(x**2)  # noqa: E731
    with pytest.raises(dof.ArgumentTypeError, match=r"`argnums` is 0.*\['scale'\] of type int.*\n.*Fix"):
        dof.value_and_grad(loss)({"scale": 3}, jnp.ones((4, 2)))


def test_a_single_integer_is_refused():
    with pytest.raises(dof.ArgumentTypeError, match=r"the argument of type int"):
        dof.value_and_grad(lambda k, x: k * jnp.sum(x))(3, jnp.ones((4, 2)))


def test_functions_among_the_parameters_are_named():
    """As in `equinox.nn.MLP`, whose activation is a leaf of its tree."""
    params = {"w": 1.0, "activation": jnp.tanh}
    with pytest.raises(dof.ArgumentTypeError, match=r"\['activation'\] of type PjitFunction.*\n.*eqx.partition"):
        dof.value_and_grad(lambda p, x: p["w"] * x)(params, jnp.ones(3))

"""What is told before training."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.solving.solver import training_of
from problems import FEW, WAVY


@pytest.mark.parametrize(("activation", "is_warned"), [(jax.nn.relu, True), (jnp.tanh, False)])
def test_second_derivatives_of_relu_are_said_to_be_zero(activation, is_warned):
    weights = jnp.asarray(np.random.default_rng(0).normal(size=(2, 12, 3)))
    network = (weights, lambda w, z: jnp.sum(activation(w[0] @ z) * w[1, :, 0]))
    advice = training_of(WAVY, network, FEW | {"points": 1000}).advice
    assert any("second derivatives of the network are zero" in sentence for sentence in advice) == is_warned


@pytest.mark.parametrize(("edge", "is_warned"), [(jnp.sin, True), (lambda x: x / 2 * jnp.sin(2.0), False)])
def test_hard_conditions_that_are_the_reference_are_told(edge, is_warned):
    equation = pde.residual("x")(lambda u, x: u.xx + jnp.sin(x))
    problem = pde.Problem(equation, pde.Interval(0, 2), [pde.dirichlet(edge, hard=True)], reference=jnp.sin)
    advice = training_of(problem, None, FEW | {"points": 1000}).advice
    assert any("nothing is left to be found" in sentence for sentence in advice) == is_warned


@pytest.mark.parametrize(
    ("source", "edge", "is_warned"),
    [
        (0.0, pde.dirichlet(0.0), True),
        (0.0, pde.dirichlet(0.0, hard=True), True),
        (1.0, pde.dirichlet(0.0), False),
        (0.0, pde.dirichlet(1.0), False),
        (0.0, pde.dirichlet(1.0, hard=True), False),
    ],
)
def test_problems_that_zero_solves_are_told(source, edge, is_warned):
    line = pde.residual("x")(lambda u, x: u.xx + u - source)
    training = training_of(pde.Problem(line, pde.Interval(0, 1), [edge]), None, FEW | {"points": 100})
    assert any("u = 0 solves" in sentence for sentence in training.advice) is is_warned


TWO_FIELDS = pde.residual("x y", fields="u v")


MEASURED_FIELD = pde.data(jnp.full((1, 2), 0.5), [1.0], field="u")


@pytest.mark.parametrize(
    ("equation", "conditions", "is_warned"),
    [
        (lambda u, v, x, y: u.x + v.y - 1, [pde.dirichlet(0.0)], True),
        (lambda u, v, x, y: (u.xx - 1, v.yy + u), [pde.dirichlet(0.0)], False),
        (lambda u, v, x, y: u.x + v.y - 1, [pde.dirichlet(0.0), MEASURED_FIELD], False),
    ],
)
def test_fewer_equations_than_fields_are_told(equation, conditions, is_warned):
    problem = pde.Problem(TWO_FIELDS(equation), pde.Box([0, 0], [1, 1]), conditions)
    advice = training_of(problem, None, FEW | {"points": 100}).advice
    assert any("1 equation for 2 fields" in sentence for sentence in advice) is is_warned

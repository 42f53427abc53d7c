"""Equations in time without a condition on the boundary."""

import jax
import jax.numpy as jnp
import pytest

from dof import pde
from dof.solving import Network
from dof.solving.solver import training_of

LINE = pde.Interval(0, 1) * pde.Time(0, 1)
START = pde.initial(lambda x, t: jnp.sin(x))
FEW = {"width": 4, "points": 50}


def advice(equation, conditions, domain=LINE, network=None, **options):
    names = "x k t" if domain.size == 3 else "x t"
    problem = pde.Problem(pde.residual(names)(equation), domain, conditions, **options)
    return [text for text in training_of(problem, network, FEW).advice if "no condition on the boundary" in text]


@pytest.mark.parametrize(
    ("equation", "conditions"),
    [
        (lambda u, x, t: u.t - u.xx, [START]),
        (lambda u, x, t: u.t - u.laplacian, [START]),
        (lambda u, x, t: u.t - pde.div((1 + x) * pde.grad(u)), [START]),
        (lambda u, x, t: u.tt - u.xx, [START, pde.initial_velocity(0.0)]),
        (lambda u, x, t: u.t - x**2 * u.xx, [START]),  # x = 1 is open
    ],
)
def test_a_boundary_without_condition_is_said(equation, conditions):
    (said,) = advice(equation, conditions)
    assert "Fix: pde.dirichlet(0.0)" in said


@pytest.mark.parametrize(
    ("equation", "conditions"),
    [
        (lambda u, x, t: u.t - u.xx, [START, pde.dirichlet(0.0, on="x=0")]),
        (lambda u, x, t: u.t - u.xx, [START, pde.periodic("x")]),
        (lambda u, x, t: u.t - u.xx, [START, pde.data([[0.0, 0.5]], [0.0])]),
        (lambda u, x, t: u.t + u.x, [START]),
        (lambda u, x, t: u.t - x * (1 - x) * u.xx, [START]),  # Wright and Fisher's: nothing goes through the ends
    ],
)
def test_nothing_is_said_where_the_boundary_has_a_condition_or_needs_none(equation, conditions):
    assert not advice(equation, conditions)


def test_nothing_is_said_where_the_boundary_may_be_in_what_the_user_made():
    def heat(u, x, t):
        return u.t - u.xx

    assert not advice(heat, [START], ansatz=lambda u, x, t: u * x * (1 - x))
    assert not advice(heat, [START], features=lambda z: jnp.stack([jnp.cos(z[0]), jnp.sin(z[0]), z[1]]))
    waves = Network(lambda key: jax.random.normal(key, (4,)), lambda w, z: w @ jnp.sin(jnp.arange(4) * z[0] + z[1]))
    assert not advice(heat, [START], network=waves)


def test_ends_of_a_parameter_are_no_boundary():
    domain, start = pde.Interval(0, 1) * pde.Parameter(0, 1) * pde.Time(0, 1), pde.initial(1.0)
    assert not advice(lambda u, x, k, t: u.t - u.d("k", "k") + u.x, [start], domain)
    assert advice(lambda u, x, k, t: u.t - k * u.xx, [start], domain)

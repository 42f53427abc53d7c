"""Equations in time that lack what they start from."""

import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving.checks.initial_conditions import on_missing_start, on_needless_velocity

LINE = pde.Interval(0, 1) * pde.Time(0, 1)
WALLS, START, VELOCITY = pde.dirichlet(0.0), pde.initial(lambda x, t: jnp.sin(x)), pde.initial_velocity(0.0)
SECOND = dof.derivatives(2)[1] ** 2
MEASURED = pde.data(np.full((1, 2), 0.5), [1.0])


def heat(u, x, t):
    return u.t - u.xx


def wave(u, x, t):
    return u.tt - u.xx


@pytest.mark.parametrize(
    ("equation", "conditions", "missing"),
    [
        (heat, [WALLS], "`heat` is of order 1 in t and has no condition `initial`"),
        (wave, [WALLS], "no condition `initial`"),
        (wave, [WALLS, START], "`wave` is of order 2 in t and has no condition `initial velocity`"),
        (wave, [pde.periodic("x"), START], "no condition `initial velocity`"),
    ],
)
def test_a_missing_start_is_said(equation, conditions, missing):
    assert missing in on_missing_start(pde.Problem(pde.residual("x t")(equation), LINE, conditions))


@pytest.mark.parametrize(
    ("equation", "conditions", "order"),
    [
        (heat, [WALLS, START, VELOCITY], 1),
        (lambda u, x, t: u.xx - t, [WALLS, VELOCITY], 0),
        (lambda u, x, t: u.xt - u, [WALLS, START, VELOCITY], 1),
        (wave, [WALLS, START, VELOCITY], None),
        (wave, [WALLS], None),
        (lambda u, x, t: u.t + u.apply(SECOND), [WALLS, START, VELOCITY], None),
    ],
)
def test_a_velocity_that_the_equation_gives_already_is_said(equation, conditions, order):
    said = on_needless_velocity(pde.Problem(pde.residual("x t")(equation), LINE, conditions))
    assert said == "" if order is None else f"of order {order} in t and has a condition `initial velocity`" in said


@pytest.mark.parametrize(
    ("equation", "conditions"),
    [
        (heat, [WALLS, START]),
        (wave, [WALLS, START, VELOCITY]),
        (heat, [WALLS, MEASURED]),
        (heat, [pde.dirichlet(0.0, on=["x=0", "t=0"])]),
        (lambda u, x, t: u.xx - t, [WALLS]),
    ],
)
def test_nothing_is_said_where_nothing_may_be_missing(equation, conditions):
    assert on_missing_start(pde.Problem(pde.residual("x t")(equation), LINE, conditions)) == ""

"""Fields that are known up to a constant, because nothing but their derivatives occurs."""

import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.solving.solver import training_of

LINE, SQUARE = pde.Interval(0, 1), pde.Box([0, 0], [1, 1])
FEW = {"width": 4, "depth": 1, "points": 50}
SLOPES = [pde.neumann(lambda x: 1.0 * x)]
NO_SLIP = pde.dirichlet(0.0, field="v", hard=True)


def line(u, x):
    return u.xx - 1


def stokes(v, p, x, y):
    return pde.grad(p) - pde.laplacian(v) - 1, pde.div(v)


def told(problem):
    return [text for text in training_of(problem, None, FEW).advice if "known up to a constant" in text]


@pytest.mark.parametrize(
    ("equation", "conditions"),
    [
        (line, SLOPES),
        (line, [pde.periodic("x")]),
        (line, [pde.periodic("x", hard=True)]),
        (lambda u, x: u.xx + u.x**2, SLOPES),
        (line, [pde.robin(0.0, 2.0, 1.0)]),
        (line, [pde.on("boundary", pde.residual("x")(lambda u, x, *, n: u.x * n[0] - x))]),
    ],
)
def test_a_field_of_which_only_derivatives_occur_is_told(equation, conditions):
    (text,) = told(pde.Problem(pde.residual("x")(equation), LINE, conditions))
    assert "`u` is known up to a constant: u + 1 fulfils" in text and "pde.data([[0.5]], [0.0])" in text


@pytest.mark.parametrize(
    ("equation", "conditions", "more"),
    [
        (line, [pde.dirichlet(0.0, on="x=0"), pde.neumann(1.0, on="x=1")], {}),
        (line, [*SLOPES, pde.dirichlet(0.0, on="x=0", hard=True)], {}),
        (line, [*SLOPES, pde.data([[0.5]], [0.0])], {}),
        (line, [pde.robin(1.0, 1.0, 0.0)], {}),
        (lambda u, x: u.xx - u - 1, SLOPES, {}),
        (lambda u, x, *, k: u.xx + k * u, SLOPES, {"unknowns": {"k": 0.0}}),
        (line, SLOPES, {"ansatz": lambda n, x: x * n}),
        (line, [], {}),
    ],
)
def test_nothing_is_said_where_a_value_is_given(equation, conditions, more):
    assert told(pde.Problem(pde.residual("x")(equation), LINE, conditions, **more)) == []


def test_one_field_of_several_is_told_with_its_error():
    equation = pde.residual("x y", fields="v[2] p")(stokes)
    reference = lambda x, y: (jnp.zeros(2), x + y)  # noqa: E731
    (text,) = told(pde.Problem(equation, SQUARE, [NO_SLIP], reference=reference))
    assert "`p` is known" in text and 'pde.data([[0.5, 0.5]], [0.0], field="p")' in text and "error against" in text
    measured = pde.data(np.full((1, 2), 0.5), [0.0], field="p")
    assert told(pde.Problem(equation, SQUARE, [NO_SLIP, measured])) == []


def test_an_equation_in_time_without_its_start_is_told_once():
    heat = pde.residual("x t")(lambda u, x, t: u.t - u.xx)
    domain, start = LINE * pde.Time(0, 1), pde.initial(lambda x, t: x)
    assert told(pde.Problem(heat, domain, [pde.neumann(1.0)])) == []
    assert told(pde.Problem(heat, domain, [pde.neumann(1.0), start])) == []

"""Conditions that ask for different values where both hold."""

import jax.numpy as jnp
import pytest

from dof import pde
from dof.solving.checks.contradicting_conditions import on_contradictions

SQUARE = pde.Box([0, 0], [1, 1])
HOLED = pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], 0.5).named("hole")
FLOW = SQUARE * pde.Time(0, 1)
WALLS = pde.dirichlet(0.0, on=["x=0", "x=1", "y=0"])


@pde.residual("x y")
def plane(u, x, y):
    return u.laplacian


@pde.residual("x y t")
def heat(u, x, y, t):
    return u.t - u.laplacian


@pde.residual("x y", fields="v[2] p")
def stokes(v, p, x, y):
    return pde.grad(p) - pde.laplacian(v), pde.div(v)


one = lambda x, y: 1.0 + 0 * x  # noqa: E731

CONTRADICTING = {
    "one face": (plane, SQUARE, [pde.dirichlet(0.0, on="x=0"), pde.dirichlet(1.0, on="x=0.0")], "at x = 0, y = 0."),
    "of one name": (plane, SQUARE, [pde.dirichlet(0.0), pde.dirichlet(1.0)], "Two conditions `dirichlet` contradict"),
    "hard and soft": (
        plane,
        SQUARE,
        [pde.dirichlet(0.0, hard=True), pde.dirichlet(1.0, on="y=1")],
        "`dirichlet` and `dirichlet at y=1` contradict each other",
    ),
    "predicates": (
        plane,
        SQUARE,
        [pde.dirichlet(0.0, on=lambda x, y: y < 0.6), pde.dirichlet(one, on=lambda x, y: y > 0.4)],
        "u is to be 0 and 1",
    ),
    "a name and all": (plane, HOLED, [pde.dirichlet(1.0, on="hole"), pde.dirichlet(0.0)], "`dirichlet at hole`"),
    "a name and a predicate": (
        plane,
        HOLED,
        [pde.dirichlet(1.0, on=lambda x, y: x**2 + y**2 < 0.5), pde.dirichlet(0.0, on=["hole", "x=1"])],
        "u is to be 1 and 0",
    ),
    "a part of the face": (plane, SQUARE, [WALLS, pde.dirichlet(lambda x, y: y, on="x=0")], "u is to be 0 and 0.9"),
    "slopes": (plane, SQUARE, [pde.neumann(0.0), pde.neumann(2.0, on="y=1")], "∂u/∂n is to be 0 and 2"),
    "starts": (heat, FLOW, [pde.initial(0.0, hard=True), pde.initial(lambda x, y, t: x)], "t = 0 u is to be 0 and"),
    "a start and a face": (heat, FLOW, [pde.initial(0.0), pde.dirichlet(2.0, on="t=0")], "u is to be 0 and 2"),
    "one field of all": (
        stokes,
        SQUARE,
        [pde.dirichlet(jnp.array([0.0, 0.0, 1.0])), pde.dirichlet(2.0, on="y=0", field="p")],
        "p is to be 1 and 2",
    ),
    "components": (
        stokes,
        SQUARE,
        [pde.dirichlet(jnp.array([0.0, 1.0]), field="v"), pde.dirichlet(0.0, on="x=1", field="v")],
        "v is to be (0, 1) and (0, 0)",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTING)
def test_contradicting_conditions_are_named_with_their_values(name):
    equation, domain, conditions, said = CONTRADICTING[name]
    assert said in on_contradictions(pde.Problem(equation, domain, conditions))


@pytest.mark.parametrize(
    ("equation", "domain", "conditions"),
    [
        (plane, SQUARE, [WALLS, pde.dirichlet(1.0, on="y=1")]),
        (plane, SQUARE, [pde.dirichlet(0.0, on="x=0"), pde.dirichlet(1.0, on="x=1")]),
        (plane, SQUARE, [pde.dirichlet(0.0), pde.neumann(1.0), pde.robin(1.0, 1.0, 5.0)]),
        (plane, SQUARE, [pde.dirichlet(one), pde.dirichlet(1.0 + 1e-7, on="y=0")]),
        (plane, HOLED, [pde.dirichlet(1.0, on="hole"), pde.dirichlet(0.0, on=lambda x, y: x**2 + y**2 > 0.9)]),
        (plane, HOLED, [pde.dirichlet(1.0, on="hole", hard=True), pde.dirichlet(0.0, on=["x=-1", "y=1"])]),
        (plane, SQUARE, [pde.dirichlet(lambda x, y: jnp.nan), pde.dirichlet(1.0)]),
        (heat, FLOW, [pde.dirichlet(0.0), pde.initial(1.0), pde.dirichlet(3.0, on="t=1")]),
        (heat, FLOW, [pde.initial(1.0), pde.initial_velocity(0.0)]),
        (stokes, SQUARE, [pde.dirichlet(0.0, field="v"), pde.dirichlet(1.0, field="p")]),
    ],
)
def test_nothing_is_said_where_values_agree_or_only_corners_are_shared(equation, domain, conditions):
    assert on_contradictions(pde.Problem(equation, domain, conditions)) == ""

"""Conditions and problems that cannot be, refused when the problem is made."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
from conditions_on_a_box import BOX, NAMED, equation, flux, system, u

import dof
from dof import pde
from dof.pde.conditions.hard_conditions import trial

LINE = pde.Interval(0, 1)
DISC = pde.Ball([0, 0])
HOLED = pde.Box([-2, -2], [2, 2]) - DISC.named("hole")
TOUCHING = pde.Triangle([0, 0], [1, 0], [0, 1]) | pde.Triangle([0, 0], [-1, 0], [0, 1])
TWO_BALLS = pde.Ball([0, 0]).named("left") | pde.Ball([1, 0])
CORNER = pde.Polygon([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
# The edges at the top of both teeth are on one line.
COMB = pde.Polygon(
    [[0, 0], [3, 0], [3, 2], [2, 2], [2, 1], [1, 1], [1, 2], [0, 2]], names=["", "", "", "", "", "", "left", ""]
)
SQUARE = pde.Box([0, 0], [1, 1])
MIXED = pde.Interval(0, 1) * pde.Parameter(0, 1)


@pde.residual("x")
def line(u, x):
    return u.xx


@pde.residual("x")
def normal(u, x, *, n):
    return u.x * n[0]


@pde.residual("x y")
def plane(u, x, y):
    return u.laplacian


@pde.residual("x", fields="u[2]")
def pair(u, x):
    return u.xx


@pde.residual("x[2]")
def vector(u, x):
    return u.laplacian


@pde.residual("x")
def scaled(u, x, *, k):
    return k * u.xx


CONDITIONS = {
    "of NumPy": (line, LINE, pde.dirichlet(lambda x: np.sin(x)), "`g` of `dirichlet` asks for the number", "jnp.sin"),
    "of math": (line, LINE, pde.neumann(lambda x: math.sin(x)), "`g` of `neumann` asks for the number", "jnp.sin"),
    "text": (line, LINE, pde.dirichlet("0"), "`g` of `dirichlet` is of type str", "lambda x: 0.0"),
    "complex": (line, LINE, pde.dirichlet(1j), "`g` of `dirichlet` is complex; expected real", 'fields="u: complex"'),
    "outside": (line, LINE, pde.dirichlet(0.0, on="x=7"), "`on` is 'x=7'", "x from 0.0 to 1.0", 'on="x=1.0"'),
    "no number": (line, LINE, pde.dirichlet(0.0, on="x=nan"), "`on`", "x from 0.0 to 1.0"),
    "no time": (line, LINE, pde.initial(0.0), "`coordinates`", "a time t"),
    "no time to begin": (line, LINE, pde.initial(0.0, hard=True), "`coordinates`", "a time t"),
    "nowhere": (line, LINE, pde.on("nowhere", line), "`on` is 'nowhere'", 'on="x=0.0"'),
    "no text": (line, LINE, pde.dirichlet(0.0, on=0), "`on` is 0", 'on="x=0.0"'),
    "coordinate": (line, LINE, pde.dirichlet(0.0, on="q=0"), "`on` is 'q=0'", 'on="x=0.0"'),
    "periodic": (line, LINE, pde.periodic("q"), "`coordinate` is 'q'", 'pde.periodic("x")'),
    "field": (system, BOX, pde.dirichlet(0.0, field="q"), "`field` is 'q'", "v[2] p"),
    "field of data": (system, BOX, pde.data([[0.0] * 3], [1.0], field="q"), "`field` is 'q'", "v[2] p"),
    "no normal": (line, LINE, pde.on("x=0.5", normal), "`on` is 'x=0.5'", "normal"),
    "inside": (line, LINE, pde.dirichlet(0.0, on="x=0.5"), "inside of the domain, where x goes from 0 to 1", '"x=1"'),
    "slope inside": (line, LINE, pde.neumann(0.0, on="x=0.5"), "`on` is 'x=0.5', inside of the domain", '"x=0"'),
    "one of two inside": (plane, SQUARE, pde.dirichlet(on=["y=1", "x=0.5"]), "`on` is 'x=0.5'", '"y=1"'),
    "diameter": (plane, DISC, pde.dirichlet(on="x=0", hard=True), "`on` is 'x=0', inside of the domain", '"boundary"'),
    "number for a truth": (line, LINE, pde.neumann(on=lambda x: x - 0.5), "predicate that returns", "x < 0.5"),
    "no truth value": (line, LINE, pde.dirichlet(on=lambda x: None), "predicate that returns None", "x < 0.5"),
    "several truth values": (vector, SQUARE, pde.dirichlet(on=lambda x: x > 0), "returns array([", "x[0] < 0.5"),
    "normal of time": (equation, BOX, pde.robin(1.0, 1.0, on="t=0.5"), "`on` is 't=0.5'", "normal"),
    "normal of one's own": (equation, BOX, pde.on("start", flux), "`on` is 'start'", "normal"),
    "face of a ball": (plane, DISC, pde.dirichlet(0.0, on="x=0.5"), "`on` is 'x=0.5'", 'on="boundary"'),
    "through a hole": (plane, HOLED, pde.dirichlet(0.0, on="x=0.5"), "`on` is 'x=0.5'", 'on="boundary"'),
    "periodic ball": (plane, DISC, pde.periodic("x"), "`coordinate` is 'x'", "a face"),
    "arguments": (equation, BOX, pde.dirichlet(lambda x, y: x), "`g` of `dirichlet`", "(x, y)", "(x, y, t)"),
    "shape": (line, LINE, pde.dirichlet([1.0, 2.0]), "`g` of `dirichlet` has shape (2,)", "expected ()"),
    "shape of a field": (system, BOX, pde.initial(np.ones(3), field="v"), "`g` of `initial v`", "(3,)", "(2,)"),
    "factor": (line, LINE, pde.robin(1.0, lambda x: [x, x]), "`beta` of `robin`", "(2,)"),
    "no array": (system, BOX, pde.initial(lambda x, y, t: ([x, y], t)), "`g` of `initial`", "tuple"),
    "other residual": (line, LINE, pde.on("boundary", plane), "`plane`", "x y", '@pde.residual("x")'),
    "other fields": (line, LINE, pde.on("boundary", pair), "`pair`", "u[2]", '@pde.residual("x")'),
    "keyword": (line, LINE, pde.on("boundary", scaled), "`scaled`", "['k']", 'unknowns={"k": 1.0}'),
    "components": (pair, LINE, pde.data([[0.0], [1.0]], [1.0, 2.0]), "`data`", "values of shape (2,)", "(n, 2)"),
    "all fields": (system, BOX, pde.data(np.ones((4, 3)), np.ones(4)), "`data`", "(4,)", "(n, 3)", 'field="v"'),
    "count": (line, LINE, pde.data([[0.0], [1.0]], [1.0]), "`data`", "points of shape (2, 1)", "shape (1,)"),
    "columns": (line, LINE, pde.data([[0.0, 1.0]], [1.0]), "`data`", "points of shape (1, 2)", "(n, 1)"),
    "no column": (line, LINE, pde.data([0.0, 1.0], [1.0, 2.0]), "`data`", "(2,)", "points[:, None]"),
    "no data": (line, LINE, pde.data(np.ones((0, 1)), np.ones(0)), "`data`", "(0, 1)"),
    "nan": (line, LINE, pde.data([[0.0]], [np.nan]), "`values`", "nan", "np.isfinite"),
    "ragged": (line, LINE, pde.data([[0.0], [1.0, 2.0]], [1.0]), "`points`", "array"),
    "hard velocity": (equation, BOX, pde.initial_velocity(0.0, hard=True), "`hard`", "initial value"),
    "hard for one": (system, BOX, pde.periodic("x", field="v", hard=True), "`hard`", "all fields"),
    "hard seam": (plane, TOUCHING, pde.dirichlet(hard=True), "`union` is of domains that touch", "hard=False"),
    "half a circle": (plane, DISC, pde.dirichlet(on=lambda x, y: y > 0, hard=True), "'predicate'", "hard=False"),
    "half a dent": (plane, CORNER, pde.dirichlet(on=lambda x, y: x == 1, hard=True), "`hard`", "dent"),
    "one of two in line": (plane, COMB, pde.dirichlet(on="left", hard=True), "`hard`", "dent"),
    "one of two balls": (plane, TWO_BALLS, pde.dirichlet(on="left", hard=True), "'left'", "only there"),
    "empty part": (plane, DISC, pde.neumann(on=lambda x, y: y > 2), "'predicate'", "no points of the boundary"),
    "no such name": (plane, COMB, pde.neumann(on="right"), "`on` is 'right'", '"left"'),
    "half a vector": (vector, MIXED, pde.dirichlet(), "`domain`", "some components of x"),
    "no condition": (line, LINE, pde.dirichlet, "`conditions`", "[pde.dirichlet(0.0)]"),
    "bare residual": (line, LINE, line, "`conditions`", 'pde.on("boundary", residual)'),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_are_checked_when_the_problem_is_made(name):
    residual, domain, condition, *said = CONDITIONS[name]
    with pytest.raises(dof.DofError) as caught:
        pde.Problem(residual, domain, [condition])
    assert isinstance(caught.value, (ValueError, TypeError))
    for part in (*said, "Fix: "):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: trial([pde.initial_velocity(0.0, hard=True)], NAMED), "initial value"),
        (lambda: pde.robin(0.0, 0.0, 1.0), "`beta`"),
        (lambda: pde.on("boundary", u), "`residual`"),
        (lambda: pde.Problem(line, LINE, pde.dirichlet(0.0)), "`conditions`"),
        (lambda: pde.Problem(line, LINE, [pde.dirichlet(hard=True)] * 2), "`hard`"),
        (lambda: pde.Problem(line, LINE, [pde.periodic("x", hard=True)], features=jnp.sin), "`features`"),
        (lambda: pde.Problem(line, LINE, features=lambda z: z[0]), r"`features` has shape \(\)"),
        (lambda: pde.Problem(line, LINE, ansatz=lambda n: n), "`ansatz`"),
        (lambda: pde.Problem(line, LINE, ansatz=lambda n, x: jnp.stack([n, x])), r"`ansatz` has shape \(2,\)"),
        (lambda: pde.Problem(equation, BOX, reference=lambda x: x), "`reference`"),
        (lambda: pde.Problem(equation, pde.Interval(0, 1)), "`domain`"),
        (lambda: pde.Problem(equation, pde.Time(0, 1) * pde.Box([0, 0], [1, 1])), "`domain` has Time for x"),
        (lambda: pde.Problem(equation, pde.Box([0] * 3, [1] * 3)), "`domain` has Box for t"),
        (
            lambda: pde.Problem(pde.residual("x tau")(lambda u, x, tau: u.xx), pde.Interval(0, 1) * pde.Time(0, 1)),
            "`domain` has Time for tau",
        ),
        (lambda: pde.Problem(equation, (0, 1)), "`domain`"),
        (lambda: pde.Problem(equation, BOX, unknowns={"m": 1.0}), "`unknowns`"),
        (lambda: pde.Problem(equation, BOX, truth={"k": 1.0}), "`truth`"),
        (lambda: pde.Problem(scaled, LINE), "`scaled`"),
        (lambda: pde.Problem(scaled, LINE, unknowns={"k": 1.0}, given={"k": jnp.sin}), "`given`"),
        (lambda: pde.Problem(scaled, LINE, given={"k": lambda x, y: x}), "given\\['k'\\]"),
        (lambda: pde.Problem(u, BOX), "`equation`"),
    ],
)
def test_mistakes_are_named(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()

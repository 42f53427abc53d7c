"""Mistakes of users who come from other programs: each is told by the name of the argument, with a fix."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.pde.notation.names import read_names

LINE, SQUARE = pde.Interval(0, 1), pde.Box([0, 0], [1, 1])
EDGE = pde.dirichlet(0.0)
line = pde.residual("x")(lambda u, x: u.xx + 1)
heat = pde.residual("x t")(lambda u, x, t: u.t - u.xx)
scaled = pde.residual("x")(lambda u, x, *, k: k * u.xx + 1)


def solved(equation, domain=LINE, conditions=(EDGE,), **parts):
    """A mistake that only training can find is told before its first step."""
    return dof.solve(pde.Problem(equation, domain, list(conditions), **parts), adam=1, newton=0, width=4, points=20)


def plane(function, fields=None):
    return lambda: solved(pde.residual("x y", fields)(function), SQUARE)


def keeping(kept):
    """A function that keeps what it is given, and uses it later."""

    def function(x):
        kept.append(x)
        return kept[0] * x

    return function


MISTAKES = {
    "typo in d": (plane(lambda u, x, y: u.d("z")), "`u.d` is given 'z'", "coordinates of x y"),
    "nothing in d": (plane(lambda u, x, y: u.d()), "`u.d` is given nothing"),
    "no time": (plane(lambda u, x, y: pde.dt(u)), "`pde.dt` is asked of u", "a coordinate t", '"x y t"', 'u.d("y")'),
    "no time of a part": (plane(lambda u, p, x, y: pde.dt(u[0]), "u[2] p"), "`pde.dt` is asked of u[0]"),
    "component of a coordinate": (plane(lambda u, x, y: u.xx - x[0]), "`x[0]` (test_mistakes.py", "without index"),
    "columns of u": (plane(lambda u, x, y: u[:, 0:1]), "`u` is a single number", 'fields="u[2]"'),
    "beyond the fields": (plane(lambda u, x, y: u[2].x, "u[2]"), "`u[2]` is asked for", "0 to 1", "u[1]"),
    "before the fields": (plane(lambda u, x, y: u.x[-3], "u[2]"), "`u.x[-3]` is asked for"),
    "two axes of fields": (plane(lambda u, x, y: u[:, 0], "u[2]"), "asks for more than one axis has"),
    "beyond a gradient": (plane(lambda u, x, y: u.gradient[2]), "(test_mistakes.py:", "component 2 of 2", "0 to 1"),
    "beyond a list of fields": (plane(lambda u, x, y: u[jnp.array([0, 2])], "u[2]"), "asks for the component 2 of 2"),
    "beyond the coordinates": (
        lambda: solved(pde.residual("x[2]")(lambda u, x: u.laplacian - x[2]), SQUARE),
        "`residual` (test_mistakes.py:",
        "asks for the component 2 of 2",
        "x[1] for the last",
    ),
    "beyond the coordinates in a condition": (
        lambda: pde.Problem(pde.residual("x[2]")(lambda u, x: u.laplacian), SQUARE, [pde.dirichlet(lambda x: x[-3])]),
        "`g` of `dirichlet` (test_mistakes.py:",
        "component -1 of 2",
    ),
    "NumPy of a list": (plane(lambda u, x, y: np.stack([u, u.x]).sum()), "`np.stack([u, u.x])` (test_mistakes.py:"),
    "nan in a condition": (
        lambda: pde.Problem(line, LINE, [pde.dirichlet(np.nan, hard=True)]),
        "`g` of `dirichlet` is nan",
    ),
    "infinite factor": (lambda: pde.Problem(line, LINE, [pde.robin(np.inf, 1.0)]), "`alpha` of `robin", "is inf"),
    "nan inside of what is hard": (
        lambda: solved(
            line, conditions=[pde.dirichlet(lambda x: jnp.where((x - 0.5) ** 2 < 0.04, jnp.nan, 0.0), hard=True)]
        ),
        "`u` is nan at x = 0.",
        "of 20 points inside of the domain",
        "hard conditions, ansatz and features",
    ),
    "nan of an ansatz": (lambda: solved(line, ansatz=lambda n, x: n + jnp.sqrt(x - 0.5)), "`u` is nan at x = 0."),
    "value kept by a condition": (
        lambda: solved(line, conditions=[pde.dirichlet(keeping([]))]),
        "`a function` uses a value of an earlier call",
    ),
    "value kept by features": (
        lambda: solved(line, features=keeping([])),
        "`a function` uses a value of an earlier call",
    ),
    "component in a condition": (
        lambda: pde.Problem(line, LINE, [pde.dirichlet(lambda x: x[0])]),
        "`g` of `dirichlet` asks for a component of what is a single number",
        "x without index",
    ),
    "complex residual": (
        plane(lambda u, x, y: u.laplacian + 1j * u),
        "`equation` has complex values; expected real ones, as the fields have",
        'fields="u: complex"',
        "return (r.real, r.imag)",
    ),
    "complex data": (
        lambda: solved(line, conditions=[pde.data([[0.5]], [1j])]),
        "`data` has complex values",
        'fields="u: complex"',
    ),
    "complex ansatz": (lambda: pde.Problem(line, LINE, ansatz=lambda n, x: n + 1j * x), "`ansatz` is complex"),
    "complex features": (lambda: pde.Problem(line, LINE, features=lambda z: 1j * z), "`features` is complex"),
    "complex reference": (lambda: solved(line, reference=lambda x: x + 1j), "`reference` is complex"),
    "grad of JAX": (plane(lambda u, x, y: jax.grad(u)(x)), "`jax.grad(u)` (test_mistakes.py", "pde.grad(u)"),
    "NumPy of u": (plane(lambda u, x, y: np.sin(u)), "`np.sin(u)`", "jnp.sin(u)"),
    "math of x": (plane(lambda u, x, y: math.sin(x) + u), "`math.sin(x)`", "jnp.sin"),
    "no names": (
        lambda: read_names(lambda u, x: u.xx, "coordinates"),
        "`coordinates` is a lambda",
        '@pde.residual("x y t")',
    ),
    "list of names": (
        lambda: read_names(["x", "t"], "coordinates"),
        "`coordinates` is ['x', 't']",
        '@pde.residual("x t")',
    ),
    "commas": (lambda: pde.residual("x, t"), "`coordinates` is 'x, t'", '@pde.residual("x t")'),
    "list of fields": (lambda: read_names(["u", "v"], "fields"), "`fields`", 'fields="u v"'),
    "repeated fields": (lambda: pde.residual("x", fields="u u")(lambda u, x: u), "`fields` is 'u u'", 'fields="u"'),
    "field and coordinate": (lambda: pde.residual("u x")(lambda u, x: u), "`fields` has u, as `coordinates` has"),
    "arguments of a lambda": (
        lambda: pde.residual("x t")(lambda u, x: u.xx),
        "`residual` has the arguments (u, x)",
        "Fix: lambda u, x, t: ...",
    ),
    "keyword of a lambda": (
        lambda: pde.Problem(scaled, LINE, unknowns={"k": 1.0, "m": 1.0}),
        "`unknowns` has ['m']",
        "Fix: lambda u, x, *, k, m: ...",
    ),
    "no keyword": (
        lambda: pde.Problem(line, LINE, unknowns={"k": 1.0}),
        "`residual`, which has none",
        "lambda u, x, *, k",
    ),
    "NumPy": (lambda: pde.Problem(pde.residual("x")(lambda u, x: u.xx + np.sin(x)), LINE), "np.sin", "jnp.sin"),
    "equation": (lambda: pde.Problem(lambda u, x: u.xx, LINE), "`equation` is a lambda"),
    "domain": (lambda: pde.Problem(line, math.sin), "`domain` is the function `sin`"),
    "class of a domain": (lambda: pde.Problem(line, pde.Interval), "`domain` is the class `Interval`"),
    "own residual": (lambda: pde.on("boundary", lambda u, x: u), "`residual` is a lambda"),
    "weight": (lambda: pde.Problem(line, LINE, [pde.dirichlet(weight=len)]), "`weight` is the function `len`"),
    "place": (lambda: pde.Problem(line, LINE, [pde.dirichlet(on=object())]), "`on` is an object of type object"),
    "no list": (lambda: pde.Problem(line, LINE, EDGE), "`conditions` is the condition `dirichlet`"),
    "two in no list": (
        lambda: pde.Problem(heat, LINE * pde.Time(0, 1), [EDGE], pde.initial(0.0)),
        "`reference` is the condition `initial`; expected conditions in one list",
    ),
    "hard slope": (lambda: pde.neumann(0.0, hard=True), "`hard` is asked for of `neumann`", "pde.neumann(g)"),
    "hard mixture": (lambda: pde.robin(1.0, 1.0, hard=True), "`hard` is asked for of `robin`"),
    "no place of time": (lambda: pde.Problem(line, LINE, [pde.neumann(on="left")]), '"x=0", "x=1", a predicate'),
    "NumPy in the reference": (lambda: solved(line, reference=lambda x: np.sin(x)), "`reference` asks for the number"),
    "vector as reference": (lambda: solved(line, reference=lambda x: jnp.ones(2)), "`reference` has shape (2,)"),
    "NumPy in what is given": (lambda: solved(scaled, given={"k": lambda x: np.sin(x)}), "`given['k']` asks for"),
    "given as list": (lambda: solved(scaled, given=["k"]), "`given` is ['k']", 'given={"k": lambda x: ...}'),
    "unknown as text": (lambda: solved(scaled, unknowns="k"), "`unknowns` is 'k'", 'unknowns={"k": 1.0}'),
    "number as text": (lambda: solved(scaled, unknowns={"k": "1"}), "`unknowns['k']` is '1'", "a real number"),
    "no number": (lambda: solved(scaled, unknowns={"k": None}), "`unknowns['k']` is None"),
    "nan": (lambda: solved(scaled, unknowns={"k": np.nan}), "`unknowns['k']` is nan", "finite"),
    "truth": (lambda: solved(scaled, unknowns={"k": 1.0}, truth=1.0), "`truth` is 1.0", 'truth={"k": 1.0}'),
    "start": (lambda: dof.solve(pde.Problem(line, LINE, [EDGE]), start=len), "`start` is the function `len`"),
    "setting": (lambda: dof.solve(pde.Problem(line, LINE, [EDGE]), lr=1e-3), "`lr` is no setting", "Fix: rate=…"),
    "steps": (
        lambda: dof.solve(pde.Problem(line, LINE, [EDGE]), epochs=9),
        "`epochs` is no setting",
        "Fix: adam=…, newton=…",
    ),
}


def test_a_derivative_in_a_coordinate_that_there_is_not_is_told_before_training():
    with pytest.raises(AttributeError, match=r"`u.yy` is no derivative: the coordinates are x"):
        pde.Problem(pde.residual("x")(lambda u, x, *, k: k * u.yy), LINE, unknowns={"k": np.ones(3)})


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_told_in_the_users_words(name):
    make, *said = MISTAKES[name]
    with pytest.raises(dof.DofError) as caught:
        make()
    for part in (*said, "Fix: "):
        assert part in str(caught.value)
    assert "<lambda>" not in str(caught.value) and "0x" not in str(caught.value)


@pytest.mark.parametrize(("name", "fix"), [("DirichletBC", "pde.dirichlet"), ("TimeDomain", "pde.Time(0, 1)")])
def test_names_of_other_programs_lead_to_those_of_here(name, fix):
    with pytest.raises(AttributeError) as caught:
        getattr(pde, name)
    assert f"Fix: {fix}" in str(caught.value)

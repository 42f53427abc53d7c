"""Conditions: zero for functions that obey them and only for these; hard ones hold for any network."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.pde.conditions.hard_conditions import trial
from dof.pde.geometry.named_domain import NamedDomain

RNG = np.random.default_rng(0)
BOX = pde.Box([0, 0], [1, 2]) * pde.Time(0.5, 2)


@pde.residual("x y t")
def equation(u, x, y, t, *, k=1.0):
    return u.t - k * u.laplacian


@pde.residual("x y t", fields="v[2] p")
def system(v, p, x, y, t):
    return pde.dt(v) + pde.grad(p), pde.div(v)


def named_domain(residual, domain=BOX):
    return NamedDomain(residual.coordinates, residual.fields, residual.is_single, domain)


NAMED = named_domain(equation)


def residuals(condition, u, named=NAMED, parameters=()):
    term = condition.loss_term(named)
    arrays = term.points(RNG.random((50, term.uniforms)))
    return jax.vmap(lambda *z: term.residual(u, dict(parameters), "dof", *z))(*arrays)


def u(z):
    return jnp.sin(z[0]) * z[1] ** 2 + z[2] * jnp.cos(2 * jnp.pi * z[1] / 2)


@pde.residual("x y t")
def flux(u, x, y, t, *, n, k=1.0):
    return k * pde.grad(u) @ n - u**2


def own_flux(z, n):
    return jax.grad(u)(z)[:2] @ n - u(z) ** 2


@pytest.mark.parametrize(
    "condition",
    [
        pde.dirichlet(lambda x, y, t: u(jnp.stack([x, y, t]))),
        pde.dirichlet(lambda x, y, t: t * jnp.cos(jnp.pi * y), on="x=0"),
        pde.neumann(lambda x, y, t: -(y**2), on="x=0"),
        pde.neumann(lambda x, y, t: jnp.cos(x) * y**2, on="x=1"),
        pde.neumann(lambda x, y, t: 4 * jnp.sin(x), on="y=2"),
        pde.robin(2.0, lambda x, y, t: t, lambda x, y, t: 2 * t * jnp.cos(jnp.pi * y) - t * y**2, on="x=0"),
        pde.initial(lambda x, y, t: jnp.sin(x) * y**2 + 0.5 * jnp.cos(jnp.pi * y)),
        pde.initial_velocity(lambda x, y, t: jnp.cos(jnp.pi * y)),
    ],
    ids=lambda condition: condition.name,
)
def test_vanish_for_what_obeys_them_and_for_nothing_else(condition):
    assert np.abs(residuals(condition, u)).max() < 1e-12
    assert np.abs(residuals(condition, lambda z: u(z) + jnp.sum(jnp.sin(z + 1)))).min() > 1e-6


def test_periodic_compares_value_and_slope():
    assert np.abs(residuals(pde.periodic("y"), lambda z: jnp.cos(jnp.pi * z[1]) * z[0])).max() < 1e-12
    only_value = residuals(pde.periodic("y"), lambda z: (z[1] - 1) ** 2)
    assert np.abs(only_value[:, 0]).max() < 1e-12
    np.testing.assert_allclose(only_value[:, 1], -4)


def test_a_residual_of_ones_own_gets_normals_and_parameters():
    term = pde.on("boundary", flux).loss_term(NAMED)
    z, n = term.points(RNG.random((50, term.uniforms)))
    for method in ("dof", "hessian"):
        found = jax.vmap(lambda z, n, method=method: term.residual(u, {"k": 1.0}, method, z, n))(z, n)
        np.testing.assert_allclose(found, jax.vmap(own_flux)(z, n), rtol=1e-10)


def test_data_are_compared_at_their_points():
    z = RNG.random((7, 3))
    term = pde.data(z, np.asarray(jax.vmap(u)(z)) + 0.5).loss_term(NAMED)
    points, values = term.points(np.zeros((7, 0)))
    assert term.fixed == 7
    np.testing.assert_allclose(jax.vmap(lambda *a: term.residual(u, {}, "dof", *a))(points, values), -0.5)


def test_terms_have_names_of_their_own():
    z = BOX.inside(RNG.random((7, 3)))
    conditions = [
        pde.data(z, np.ones((7, 2)), field="v"),
        pde.data(z, np.ones((7, 1)), field="p"),
        pde.dirichlet(0.0, on="x=0"),
        *(pde.dirichlet(value, field=field) for value in (0.0, lambda x, y, t: t) for field in ("p", None)),
    ]
    names = [term.name for term in pde.Problem(system, BOX, conditions).terms()]
    kinds = ["data v", "data p", "dirichlet at x=0", "dirichlet p", "dirichlet", "dirichlet p 2", "dirichlet 2"]
    assert names == ["equation", *kinds]


def test_a_bound_that_is_written_with_few_digits_is_meant():
    line = named_domain(pde.residual("x")(lambda u, x: u.xx), pde.Interval(0, np.pi))
    for text, found in {"3.141593": np.pi, "3.14159": 3.14159}.items():
        points, normals = pde.neumann(on=f"x={text}").loss_term(line).points(RNG.random((5, 1)))
        assert (points == found).all() and (normals == 1).all()


def network(features):
    return jnp.sin(features @ jnp.arange(1.0, features.size + 1)) + 0.3


EDGE = lambda x, y, t: x * y + t  # noqa: E731
HARD = [
    pde.dirichlet(EDGE, hard=True),
    pde.initial(lambda x, y, t: x * y + 0.5 + x * (1 - x) * y * (2 - y), hard=True),
    pde.initial_velocity(lambda x, y, t: 1 + x * (1 - x) * y * (2 - y), hard=True),
]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_hard_conditions_hold_for_any_network(count):
    obeying = trial(HARD[:count], NAMED)(network)
    for condition in HARD[:count]:
        assert np.abs(residuals(condition, obeying)).max() < 1e-12, condition.name
    assert np.std(jax.vmap(obeying)(BOX.inside(RNG.random((50, 3))))) > 0.1


def test_a_hard_periodic_coordinate_is_periodic_with_all_derivatives():
    obeying = trial([pde.periodic("y", hard=True)], NAMED)(network)
    assert np.abs(residuals(pde.periodic("y"), obeying)).max() < 1e-12
    assert np.abs(residuals(pde.periodic("x"), obeying)).min() > 1e-6


def test_hard_conditions_of_one_field_leave_the_others():
    named = named_domain(system)
    hard = [pde.initial(lambda x, y, t: jnp.stack([x, y]), field="v", hard=True)]
    raw = lambda features: jnp.stack([network(features), network(2 * features), network(3 * features)])  # noqa: E731
    obeying = trial(hard, named)(raw)
    assert np.abs(residuals(hard[0], obeying, named)).max() < 1e-12
    free = trial([], named)(raw)
    z = BOX.inside(RNG.random((20, 3)))
    np.testing.assert_allclose(jax.vmap(obeying)(z)[:, 2], jax.vmap(free)(z)[:, 2])


@pytest.mark.parametrize("field", ["v", "p", None])
def test_values_of_all_fields_are_those_of_each(field):
    """Hard and soft, with a number, with one for each component, and with factors."""
    named = named_domain(system)
    values = jnp.arange(1.0, 4) if field is None else named.of_field(field, jnp.arange(1.0, 4))
    for value in (values, 2.0):
        obeying = trial([pde.initial(value, field=field, hard=True)], named)(lambda z: jnp.sin(z + 1))
        assert np.abs(residuals(pde.initial(value, field=field), obeying, named)).max() < 1e-12
    constant = lambda z: jnp.arange(1.0, 4)  # noqa: E731
    assert np.abs(residuals(pde.robin(values, 1.0, values**2, field=field), constant, named)).max() < 1e-12


def test_a_single_field_may_be_called_by_its_name():
    obeying = trial([pde.dirichlet(EDGE, field="u", hard=True)], NAMED)(network)
    assert np.abs(residuals(pde.dirichlet(EDGE), obeying)).max() < 1e-12


LINE = pde.Interval(0, 1)
DISC = pde.Ball([0, 0])
HOLED = pde.Box([-2, -2], [2, 2]) - DISC


@pde.residual("x")
def line(u, x):
    return u.xx


@pde.residual("x y")
def plane(u, x, y):
    return u.laplacian


@pde.residual("x", fields="u[2]")
def pair(u, x):
    return u.xx


@pde.residual("x")
def scaled(u, x, *, k):
    return k * u.xx


CONDITIONS = {
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
    "no normal": (line, LINE, pde.neumann(0.0, on="x=0.5"), "`on` is 'x=0.5'", "normal"),
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
    "hard box": (plane, HOLED - pde.Box([1.5, 1.5], [1.9, 1.9]), pde.dirichlet(hard=True), "`hole`", "hard=False"),
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
        (lambda: pde.dirichlet(0.0, on="x=0", hard=True), "whole boundary"),
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

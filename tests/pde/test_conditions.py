"""Conditions: zero for functions that obey them and only for these; hard ones hold for any network."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.pde.places import Setting
from dof.pde.trial import trial

RNG = np.random.default_rng(0)
BOX = pde.Box([0, 0], [1, 2]) * pde.Time(0.5, 2)


@pde.residual("x y t")
def equation(u, x, y, t, *, k=1.0):
    return u.t - k * u.laplacian


@pde.residual("x y t", fields="v[2] p")
def system(v, p, x, y, t):
    return pde.dt(v) + pde.grad(p), pde.div(v)


def setting_of(residual, domain=BOX):
    return Setting(residual.coordinates, residual.fields, residual.is_single, domain)


SETTING = setting_of(equation)


def residuals(condition, u, setting=SETTING, parameters=()):
    term = condition.term(setting)
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
    term = pde.on("boundary", flux).term(SETTING)
    z, n = term.points(RNG.random((50, term.uniforms)))
    for method in ("dof", "hessian"):
        found = jax.vmap(lambda z, n, method=method: term.residual(u, {"k": 1.0}, method, z, n))(z, n)
        np.testing.assert_allclose(found, jax.vmap(own_flux)(z, n), rtol=1e-10)


def test_data_are_compared_at_their_points():
    z = RNG.random((7, 3))
    term = pde.data(z, np.asarray(jax.vmap(u)(z)) + 0.5).term(SETTING)
    points, values = term.points(np.zeros((7, 0)))
    assert term.fixed == 7
    np.testing.assert_allclose(jax.vmap(lambda *a: term.residual(u, {}, "dof", *a))(points, values), -0.5)


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
    obeying = trial(HARD[:count], SETTING)(network)
    for condition in HARD[:count]:
        assert np.abs(residuals(condition, obeying)).max() < 1e-12, condition.name
    assert np.std(jax.vmap(obeying)(BOX.inside(RNG.random((50, 3))))) > 0.1


def test_a_hard_periodic_coordinate_is_periodic_with_all_derivatives():
    obeying = trial([pde.periodic("y", hard=True)], SETTING)(network)
    assert np.abs(residuals(pde.periodic("y"), obeying)).max() < 1e-12
    assert np.abs(residuals(pde.periodic("x"), obeying)).min() > 1e-6


def test_hard_conditions_of_one_field_leave_the_others():
    setting = setting_of(system)
    hard = [pde.initial(lambda x, y, t: jnp.stack([x, y]), field="v", hard=True)]
    raw = lambda features: jnp.stack([network(features), network(2 * features), network(3 * features)])  # noqa: E731
    obeying = trial(hard, setting)(raw)
    assert np.abs(residuals(hard[0], obeying, setting)).max() < 1e-12
    free = trial([], setting)(raw)
    z = BOX.inside(RNG.random((20, 3)))
    np.testing.assert_allclose(jax.vmap(obeying)(z)[:, 2], jax.vmap(free)(z)[:, 2])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pde.dirichlet(0.0, on="x=0", hard=True), "whole boundary"),
        (lambda: trial([pde.initial_velocity(0.0, hard=True)], SETTING), "initial value"),
        (lambda: residuals(pde.dirichlet(0.0, field="q"), u), "`field`"),
        (lambda: residuals(pde.dirichlet(0.0, on="w=0"), u), "`on`"),
        (lambda: residuals(pde.dirichlet(0.0, on="left"), u), "`on`"),
        (lambda: residuals(pde.data([[1.0, 2.0]], [1.0]), u), "`data`"),
        (lambda: pde.Problem(equation, pde.Interval(0, 1)), "`domain`"),
        (lambda: pde.Problem(equation, BOX, unknowns={"m": 1.0}), "`unknowns`"),
        (lambda: pde.Problem(u, BOX), "`equation`"),
    ],
)
def test_mistakes_are_named(make, said):
    with pytest.raises((ValueError, TypeError), match=said):
        make()

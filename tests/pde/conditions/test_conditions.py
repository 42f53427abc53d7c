"""Conditions as terms of the loss: zero for functions that obey them and only for these."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from conditions_on_a_box import BOX, NAMED, flux, named_domain, residuals, system, u, uniform

from dof import pde


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
    z, n = term.points(uniform(50, term.uniforms))
    for method in ("dof", "hessian"):
        found = jax.vmap(lambda z, n, method=method: term.residual(u, {"k": 1.0}, method, z, n))(z, n)
        np.testing.assert_allclose(found, jax.vmap(own_flux)(z, n), rtol=1e-10)


def test_data_are_compared_at_their_points():
    z = uniform(7, 3)
    term = pde.data(z, np.asarray(jax.vmap(u)(z)) + 0.5).loss_term(NAMED)
    points, values = term.points(np.zeros((7, 0)))
    assert term.fixed == 7
    np.testing.assert_allclose(jax.vmap(lambda *a: term.residual(u, {}, "dof", *a))(points, values), -0.5)


def test_terms_have_names_of_their_own():
    z = BOX.inside(uniform(7, 3))
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
        points, normals = pde.neumann(on=f"x={text}").loss_term(line).points(uniform(5, 1))
        assert (points == found).all() and (normals == 1).all()

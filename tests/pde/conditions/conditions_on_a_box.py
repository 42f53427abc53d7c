"""Equations on a box in space and time, and the residuals of conditions on it."""

import jax
import jax.numpy as jnp
import numpy as np

from dof import pde
from dof.pde.geometry.named_domain import NamedDomain

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


def uniform(*shape):
    """The same numbers for a shape in every test, whatever ran before."""
    return np.random.default_rng(0).random(shape)


def residuals(condition, u, named=NAMED, parameters=()):
    term = condition.loss_term(named)
    arrays = term.points(uniform(50, term.uniforms))
    return jax.jit(jax.vmap(lambda *z: term.residual(u, dict(parameters), "dof", *z)))(*arrays)


def u(z):
    return jnp.sin(z[0]) * z[1] ** 2 + z[2] * jnp.cos(2 * jnp.pi * z[1] / 2)


@pde.residual("x y t")
def flux(u, x, y, t, *, n, k=1.0):
    return k * pde.grad(u) @ n - u**2

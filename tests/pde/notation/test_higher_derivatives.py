"""Residuals with derivatives of an order above two."""

import jax
import jax.numpy as jnp
import pytest

import dof
from dof import pde
from oracle import assert_close

POINTS = jnp.array([[0.3, 0.2], [0.5, 0.9]])
FOURTH = dof.derivatives(2)[0] ** 4 + (lambda z: z[1]) * dof.derivatives(2)[1]


def net(z):
    return jnp.sin(2 * z[0]) * jnp.exp(-z[1]) + z[0] ** 5 * z[1] ** 2


@pde.residual("x t")
def kdv(u, x, t, *, a=6.0):
    return u.t + a * u * u.x + u.xxx


@pde.residual("x t")
def kuramoto_sivashinsky(u, x, t):
    return u.t + u * u.x + u.xx + u.xxxx


@pde.residual("x y")
def plate(u, x, y):
    return u.biharmonic


@pde.residual("x y")
def everything(u, x, y):
    gradient = pde.grad(u)
    return pde.biharmonic(u) + x * u.xxy - gradient @ gradient + u.apply(FOURTH) * u.xx, u.yyy - u.apply(dof.laplacian)


@pytest.mark.parametrize(
    ("residual", "columns", "last"),
    [
        (kdv, 4, "∂x³ + ∂t"),
        (kuramoto_sivashinsky, 5, "∂x⁴ + ∂t"),
        (plate, 9, "∂x⁴ + 2 ∂x² ∂y² + ∂y⁴"),
        (everything, None, ""),
    ],
    ids=["KdV", "Kuramoto-Sivashinsky", "plate", "everything"],
)
def test_residuals_agree_with_nested_differentiation(residual, columns, last):
    found, expected = jax.jit(lambda z: (residual(net)(z), residual.by_hessian(net)(z)))(POINTS)
    assert_close(found, expected, 1e-9)
    assert columns is None or residual.plan.columns == columns
    assert last in str(residual.plan)


def test_coefficients_that_are_trained():
    @pde.residual("x t")
    def with_unknown(u, x, t, *, k):
        return u.t + k * u.xxx + x * u.d("x", "x", "t")

    def slope(method):
        return jax.grad(lambda k: jnp.sum(method(net, k=k)(POINTS) ** 2))(0.7)

    assert_close(*jax.jit(lambda: (slope(with_unknown), slope(with_unknown.by_hessian)))(), 1e-9)


def test_systems_of_equations_with_components():
    @pde.residual("x t", fields="u[2] p")
    def system(u, p, x, t):
        return u[0].xxx - p.t, u.xxxx * p, pde.dt(u) + p.xxt

    fields = lambda z: jnp.stack([net(z), jnp.cos(z[0] * z[1]), z[0] ** 4 * z[1]])  # noqa: E731
    found, expected = jax.jit(lambda z: (system(fields)(z), system.by_hessian(fields)(z)))(POINTS)
    assert_close(found, expected, 1e-9)


def test_derivatives_with_too_many_columns_are_nested():
    """Δ² in 24 and in 200 coordinates; in the latter it is not even multiplied out."""

    @pde.residual("x[24] t")
    def many(u, x, t):
        return u.t - 0.5 * u.biharmonic + u * pde.laplacian(u) + u.laplacian.t * x[0]

    radial = lambda z: jnp.sum(z[:-1] ** 2) ** 3 * z[-1] ** 2  # noqa: E731
    z = jnp.linspace(0.1, 0.4, 25)
    r2, t, d = jnp.sum(z[:-1] ** 2), z[-1], 24
    laplacian, biharmonic = 6 * (d + 4) * r2**2, 24 * (d + 4) * (d + 2) * r2
    by_hand = 2 * t * r2**3 + t**2 * (-0.5 * biharmonic + r2**3 * t**2 * laplacian) + 2 * t * laplacian * z[0]
    assert_close(jax.jit(many(radial))(z), by_hand, 1e-9)
    assert "2 derivatives by nesting" in str(many.plan)

    of_many = pde.residual("x[200]")(lambda u, x: u.laplacian.laplacian)
    found = jax.jit(of_many(lambda z: jnp.sum(z**2) ** 2))(jnp.linspace(0, 1, 200))
    assert_close(found, jnp.array(8.0 * 200 * 202), 1e-9)

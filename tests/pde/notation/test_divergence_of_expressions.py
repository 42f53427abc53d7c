"""Divergences of expressions against the formulas written out, and the refusal of those that are not known."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.extend import enable_x64

POINT = np.array([0.3, 0.7])


def smooth(z):
    return jnp.sin(2 * z[0]) * jnp.exp(z[1]) + z[0] ** 2 * z[1] ** 3


def pair(z):
    return jnp.stack([smooth(z), jnp.cos(z[0] * z[1] + z[1] ** 2)])


def divergence_of(flux):
    """The divergence of a function of the point over its last axis, by nested differentiation."""
    return lambda z: jnp.trace(jax.jacfwd(flux)(z), axis1=-2, axis2=-1)


def conductivity(x, y):
    return 1 + x**2 * jnp.sin(y)


LAME = 0.7


def stress(gradient):
    return (1 + LAME) * (gradient + gradient.T) + LAME * jnp.trace(gradient) * jnp.eye(2)


CASES = {
    "conductivity": (
        pde.residual("x y")(lambda u, x, y: pde.div(conductivity(x, y) * pde.grad(u))),
        smooth,
        divergence_of(lambda z: conductivity(*z) * jax.grad(smooth)(z)),
    ),
    "nonlinear, twice": (
        pde.residual("x y")(lambda u, x, y: pde.div((1 + u**2) * pde.grad(u)) + u * pde.div(u.x * jnp.array([x, y]))),
        smooth,
        lambda z: (
            divergence_of(lambda z: (1 + smooth(z) ** 2) * jax.grad(smooth)(z))(z)
            + smooth(z) * divergence_of(lambda z: jax.grad(smooth)(z)[0] * z)(z)
        ),
    ),
    "stress": (
        pde.residual("x y", fields="u[2]")(lambda u, x, y: pde.div(stress(pde.grad(u)))),
        pair,
        divergence_of(lambda z: stress(jax.jacfwd(pair)(z))),
    ),
    "third order": (
        pde.residual("x y")(lambda u, x, y: pde.div(u.laplacian * pde.grad(u))),
        smooth,
        divergence_of(lambda z: jnp.trace(jax.hessian(smooth)(z)) * jax.grad(smooth)(z)),
    ),
    "of two fields": (
        pde.residual("x y", fields="k u")(lambda k, u, x, y: pde.div(k * pde.grad(u))),
        pair,
        divergence_of(lambda z: pair(z)[0] * jax.grad(lambda z: pair(z)[1])(z)),
    ),
}


def test_the_divergence_of_an_expression_is_that_of_the_formula():
    # In one compilation: it takes most of the time.
    both = lambda z: {name: (residual(net)(z), expected(z)) for name, (residual, net, expected) in CASES.items()}  # noqa: E731
    with enable_x64():
        for name, (found, expected) in jax.jit(both)(POINT).items():
            np.testing.assert_allclose(found, expected, rtol=1e-10, err_msg=name)


def test_the_divergence_with_a_known_coefficient_costs_what_the_written_out_operator_costs():
    flux = pde.residual("x y")(lambda u, x, y: pde.div((1 + x) * pde.grad(u)))
    written = pde.residual("x y")(lambda u, x, y: (1 + x) * (u.xx + u.yy) + u.x)
    assert flux.plan.directions == written.plan.directions


def test_time_and_parameters_have_no_part_in_a_divergence():
    residual = pde.residual("x y t")(lambda u, x, y, t: pde.div(t * x * pde.grad(u)))
    net = lambda z: z[0] ** 2 * z[2] + z[1] * z[2] ** 2  # noqa: E731
    with enable_x64():
        assert float(jax.jit(residual(net))(np.array([0.3, 0.7, 2.0]))) == pytest.approx(2.0 * 4 * 0.3 * 2.0, rel=1e-12)


@pytest.mark.parametrize(
    ("residual", "said"),
    [
        (lambda u, x, y: pde.div(u.x), "has no components"),
        (lambda u, x, y: pde.div(jnp.stack([u.x, u.y, u.x])), "`div` has shape"),
        (lambda u, x, y: pde.div(pde.div(x * pde.grad(u)) * jnp.array([x, y])), "another expression"),
        (lambda u, x, y: pde.div(u.apply(dof.laplacian) * jnp.array([x, y])), "u.apply"),
    ],
)
def test_divergences_that_are_not_known_are_refused(residual, said):
    with pytest.raises(dof.ArgumentError, match=said):
        pde.residual("x y")(residual)(smooth)(POINT)


def test_a_divergence_outside_of_a_residual_is_refused():
    with pytest.raises(dof.ArgumentError, match="outside of a residual"):
        pde.div(jnp.ones(2))

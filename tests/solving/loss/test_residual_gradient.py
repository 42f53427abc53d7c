"""The gradient of the residual in the loss: its values by nested differentiation, and what it is good for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof import pde
from dof.solving.loss.collocation_points import sample
from dof.solving.loss.objective import Objective
from dof.solving.loss.residual_gradient import with_residual_gradient
from dof.solving.networks import mlp
from dof.solving.solver import training_of

MANY = 40


@pde.residual("x y", fields="u v")
def coupled(u, v, x, y, *, f):
    return u.laplacian + u * v - f, v.x - x * u.yy


def test_residuals_and_their_scaled_derivatives_are_those_of_nested_differentiation():
    problem = pde.Problem(coupled, pde.Box([0, 1], [2, 5]), given={"f": lambda x, y: jnp.sin(x * y)})
    objective = Objective(problem, mlp(2, 2, 4, 1), "dof", seed=0)
    fitted = with_residual_gradient(objective, 0.25)
    (arrays,) = sample(fitted.terms, [3], 0, 0)
    net = objective.u(objective.start)

    def by_hand(z):
        hessian = jax.hessian(net)(z)
        (u, v), slopes = net(z), jax.jacfwd(net)(z)
        first = hessian[0, 0, 0] + hessian[0, 1, 1] + u * v - jnp.sin(z[0] * z[1])
        return jnp.stack([first, slopes[1, 0] - z[0] * hessian[0, 1, 1]])

    # The deviations of uniform numbers on [0, 2] and [1, 5], to what 64 points know of them, times √weight.
    scale = 0.5 * np.array([2, 4]) / np.sqrt(12)

    @jax.jit
    @jax.vmap
    def both(z, f):
        return fitted.residual(0, fitted.start, (z, f)), by_hand(z), jax.jacfwd(by_hand)(z)

    for found, values, slopes in zip(*both(*arrays), strict=True):
        np.testing.assert_allclose(found[:2], values, rtol=1e-10)
        np.testing.assert_allclose(found[2:].reshape(2, 2), scale * slopes, rtol=0.05)
    assert with_residual_gradient(objective, 0.0) is objective


@pde.residual(f"x[{MANY}]")
def slanted(u, x):
    # of (1 − |x|²) (1 + c · x) with c_i = sin i
    c = jnp.sin(jnp.arange(MANY))
    return u.laplacian / MANY + 2 + 2 * c @ x + 4 * c @ x / MANY


SLANTED = pde.Problem(
    slanted,
    pde.Ball([0] * MANY),
    [pde.dirichlet(0.0, hard=True)],
    reference=lambda x: (1 - x @ x) * (1 + jnp.sin(jnp.arange(MANY)) @ x),
)


def test_few_points_are_enough_for_many_dimensions():
    """Two sets of 4 points have 8 values and 320 derivatives, for 41 coefficients."""
    settings = {"depth": 0, "points": 4, "adam": 0, "newton": 40, "optimiser": "lbfgs", "report": 20}
    without, found = (
        dof.solve(SLANTED, **settings, error_points=64, residual_gradient=weight).error for weight in (0.0, 1.0)
    )
    assert found is not None and without is not None
    assert found < 1e-4 and without > 0.1


@pytest.mark.parametrize(("weight", "said"), [(0.0, ["4 residuals"]), (1.0, [])])
def test_derivatives_count_as_residuals_in_the_warning_of_too_few(weight, said):
    settings = {"depth": 0, "points": 4, "optimiser": "gauss-newton", "residual_gradient": weight}
    assert [text.split(" for")[0] for text in training_of(SLANTED, None, settings).advice] == said


def test_a_negative_weight_is_refused():
    with pytest.raises(dof.ArgumentError, match="`residual_gradient` is -1"):
        dof.solve("poisson", residual_gradient=-1)

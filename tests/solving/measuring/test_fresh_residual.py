"""The residual on fresh points, relative to the terms of equation and conditions."""

import jax.numpy as jnp
import numpy as np
import pytest

from dof import pde
from dof.solving.solver import training_of
from problems import FEW


def test_residuals_are_relative_to_the_terms_of_equation_and_conditions():
    """In other units of u all stays the same, and a function that is zero fulfils nothing but u = 0."""

    def residuals(size, net):
        problem = pde.Problem(
            pde.residual("x")(lambda u, x: u.xx + size * jnp.sin(x)),
            pde.Interval(0, 3),
            [pde.dirichlet(lambda x: size * jnp.cos(x), on="x=0"), pde.dirichlet(0.0, on="x=3")],
        )
        training = training_of(problem, ({"a": jnp.ones(1)}, lambda p, z: size * net(p["a"] * z)), FEW)
        fresh = training.evaluation.fresh(training.objective.start)
        return fresh.relative(fresh.losses)

    wave = lambda z: jnp.sin(3 * z[0])  # noqa: E731
    np.testing.assert_allclose(residuals(1.0, wave), residuals(1e6, wave), rtol=1e-9)
    np.testing.assert_allclose(residuals(1.0, lambda z: 0 * z[0]), [1.0, 1.0, 0.0], rtol=1e-9)


WAVE = pde.residual("x t")(lambda u, x, t: u.tt - u.xx)
LEAVES = pde.on("x=1", pde.residual("x t")(lambda u, x, t, *, n: u.t + n[0] * u.x))
FLAT = pde.residual("x")(lambda u, x: u.xx)


@pytest.mark.parametrize(
    ("equation", "domain", "condition", "net"),
    [
        (WAVE, pde.Interval(0, 1) * pde.Time(0, 1), LEAVES, lambda z: jnp.sin(3 * (z[0] - z[1]))),
        (FLAT, pde.Interval(0, 1), pde.robin(-3.0, 1.0, on="x=1"), lambda z: jnp.exp(3 * z[0])),
    ],
)
def test_a_condition_that_holds_inside_too_has_the_size_of_its_parts(equation, domain, condition, net):
    """u_t + u_x of a wave that leaves, and u_x − 3 u of exp(3 x), are zero everywhere."""
    nearly = lambda p, z: net((z + 1) / 2) * (1 + p[0] * z[0])  # noqa: E731
    training = training_of(pde.Problem(equation, domain, [condition]), (jnp.array([1e-6]), nearly), FEW)
    fresh = training.evaluation.fresh(training.objective.start)
    assert 1e-8 < fresh.relative(fresh.losses)[1] < 1e-5

"""Problems that several tests train on, and few points for them."""

import jax.numpy as jnp
import numpy as np

from dof import pde

FEW = {"width": 12, "depth": 1, "edge_points": 20, "error_points": 256, "report": 8}
EXACT = lambda x: jnp.prod(jnp.sin(np.pi * x))  # noqa: E731
WAVY = pde.Problem(
    pde.residual("x[3]")(lambda u, x: u.laplacian + 3 * np.pi**2 * EXACT(x)),
    pde.Box([0.0] * 3, [1.0] * 3),
    [pde.dirichlet(0.0, hard=True)],
    reference=EXACT,
)


def with_reference(reference):
    equation = pde.residual("x")(lambda u, x: u.xx + jnp.sin(x))
    return pde.Problem(equation, pde.Interval(0, jnp.pi), [pde.dirichlet(0.0)], reference=reference)


@pde.residual("x t")
def heat(u, x, t, *, k):
    return u.t - k * u.xx


def problem_on(start=0.0, end=1.0, initial=lambda x, t: x * (1 - x)):
    conditions = [pde.dirichlet(0.0, hard=True), pde.initial(initial, hard=True)]
    return pde.Problem(heat, pde.Interval(0, 1) * pde.Time(start, end), conditions, unknowns={"k": 0.5})


@pde.residual("x")
def bent(u, x, *, k=1.0):
    return u.xx + k * jnp.sin(x)


LINE = pde.Problem(
    bent,
    pde.Interval(0, np.pi),
    [pde.dirichlet(0.0, on="x=0"), pde.neumann(-1.0, on=f"x={np.pi}")],
    reference=jnp.sin,
)

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

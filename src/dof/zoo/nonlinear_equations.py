"""Nonlinear equations with sharp fronts: Burgers, Allen–Cahn."""

import jax.numpy as jnp
import numpy as np
from jax.numpy import cos, exp, pi, sin

from dof import pde
from dof.zoo.allen_cahn_reference import allen_cahn_solution


def burgers() -> pde.Problem:
    """Burgers' equation with a shock: u_t + u u_x = (0.01 / π) u_xx."""
    viscosity = 0.01 / np.pi
    nodes, weights = np.polynomial.hermite.hermgauss(100)

    def exact(x, t):
        """By Cole and Hopf, as a ratio of two integrals, by Gauss–Hermite quadrature."""
        eta = jnp.sqrt(4 * viscosity * t) * nodes
        # Logarithms, less their maximum, which cancels in the ratio: the weights alone span 78 orders of magnitude.
        density = jnp.log(weights) - cos(pi * (x - eta)) / (2 * pi * viscosity)
        density = exp(density - jnp.max(density))
        return -jnp.sum(sin(pi * (x - eta)) * density) / jnp.sum(density)

    @pde.residual("x t")
    def burgers(u, x, t):
        return u.t + u * u.x - viscosity * u.xx

    return pde.Problem(
        burgers,
        pde.Interval(-1, 1) * pde.Time(0, 1),
        [pde.dirichlet(0.0, hard=True), pde.initial(lambda x, t: -sin(pi * x), hard=True)],
        reference=exact,
        recipe={"width": 20, "depth": 3, "points": 2000, "newton": 300, "report": 50, "adaptive": True},
    )


def allen_cahn() -> pde.Problem:
    """The Allen–Cahn equation, whose phases separate: u_t = 10⁻⁴ u_xx + 5 (u − u³), periodic."""

    @pde.residual("x t")
    def allen_cahn(u, x, t):
        return u.t - 1e-4 * u.xx - 5 * (u - u**3)

    return pde.Problem(
        allen_cahn,
        pde.Interval(-1, 1) * pde.Time(0, 1),
        [pde.periodic("x", hard=True), pde.initial(lambda x, t: x**2 * cos(pi * x), hard=True)],
        reference=allen_cahn_solution(),
        recipe={"width": 20, "depth": 3, "points": 1500, "newton": 500, "report": 50, "adaptive": True},
    )

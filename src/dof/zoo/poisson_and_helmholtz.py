"""Poisson's and Helmholtz' equations."""

import jax.numpy as jnp
from jax.numpy import cos, pi, sin

from dof import pde


def poisson() -> pde.Problem:
    """Poisson's equation on a square: −Δu = f."""

    @pde.residual("x y")
    def poisson(u, x, y):
        return u.laplacian + 5 * pi**2 * sin(pi * x) * sin(2 * pi * y)

    return pde.Problem(
        poisson,
        pde.Box([0, 0], [1, 1]),
        [pde.dirichlet(0.0, hard=True)],
        reference=lambda x, y: sin(pi * x) * sin(2 * pi * y),
        recipe={"newton": 40},
    )


def poisson_10d() -> pde.Problem:
    """Poisson's equation in the unit ball of 10 dimensions: −Δu = f."""

    def parts(x):
        """The values of s = Σ cos(x_i + x_{i+1}), x·∇s and Δs."""
        phase = x + jnp.roll(x, -1)
        return jnp.sum(cos(phase)), -phase @ sin(phase), -2 * jnp.sum(cos(phase))

    @pde.residual("x[10]")
    def poisson_10d(u, x):
        s, radial, laplacian = parts(x)
        return u.laplacian - (-20 * s - 4 * radial + (1 - x @ x) * laplacian)

    return pde.Problem(
        poisson_10d,
        pde.Ball([0] * 10),
        [pde.dirichlet(0.0, hard=True)],
        reference=lambda x: (1 - x @ x) * parts(x)[0],
        # One layer: a sum of functions of one direction each fits what many dimensions ask for. With two layers of 32
        # units the error is 6.3e-7 after 400 steps and 162 s of a processor, with one of 64 it is 7e-7 after 60 steps
        # and 13 s. With 1,000 points seed 0 ends at 1.2e-6, with 1,500 at 4.4e-7.
        recipe={"width": 64, "depth": 1, "adam": 0, "newton": 140, "points": 1500},
    )


def helmholtz() -> pde.Problem:
    """Helmholtz' equation on a square: Δu + u = f, with four waves in one direction."""

    @pde.residual("x y")
    def helmholtz(u, x, y):
        return u.laplacian + u - (1 - 17 * pi**2) * sin(pi * x) * sin(4 * pi * y)

    return pde.Problem(
        helmholtz,
        pde.Box([-1, -1], [1, 1]),
        [pde.dirichlet(0.0, hard=True)],
        reference=lambda x, y: sin(pi * x) * sin(4 * pi * y),
        recipe={"width": 40, "adam": 0, "newton": 120, "points": 2600},
    )

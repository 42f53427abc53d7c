"""Nonlinear equations: Burgers, Allen–Cahn, sine-Gordon, Navier–Stokes."""

import jax.numpy as jnp
import numpy as np
from jax.numpy import cos, exp, pi, sin

from dof import pde
from dof.zoo.allen_cahn_reference import allen_cahn_solution

FEW_POINTS = {"points": 100, "error_points": 128, "newton": 0, "rate": 0.02, "report": 10}
"""In many dimensions a step with few points, drawn anew often, goes as far as one with many."""


def burgers() -> pde.Problem:
    """Burgers' equation with a shock: u_t + u u_x = (0.01 / π) u_xx"""
    viscosity = 0.01 / np.pi
    nodes, weights = np.polynomial.hermite.hermgauss(100)

    def exact(x, t):
        """By Cole and Hopf, as a ratio of two integrals, by Gauss–Hermite quadrature."""
        eta = jnp.sqrt(4 * viscosity * t) * nodes
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
    """The Allen–Cahn equation, whose phases separate: u_t = 10⁻⁴ u_xx + 5 (u − u³), periodic"""

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


def sine_gordon(dimension: int) -> pde.Problem:
    """The sine-Gordon equation in the unit ball of many dimensions: Δu + sin u = f"""
    c = np.random.default_rng(0).normal(size=dimension - 1)

    def parts(x):
        """Of s = Σ c_i sin θ_i, θ_i = x_i + cos x_{i+1} + x_{i+1} cos x_i: s, x·∇s and Δs."""
        a, b, s, e = x[:-1], x[1:], sin(x), cos(x)
        theta = a + e[1:] + b * e[:-1]
        along_a, along_b, around_b = 1 - b * s[:-1], e[:-1] - s[1:], -b * e[:-1] - e[1:]
        radial = c @ (cos(theta) * (a * along_a + b * along_b))
        laplacian = c @ (cos(theta) * around_b - sin(theta) * (along_a**2 + along_b**2))
        return c @ sin(theta), radial, laplacian

    def exact(x):
        return (1 - x @ x) * parts(x)[0]

    def source(x):
        s, radial, laplacian = parts(x)
        return -2 * dimension * s - 4 * radial + (1 - x @ x) * laplacian + sin((1 - x @ x) * s)

    @pde.residual(f"x[{dimension}]")
    def sine_gordon(u, x, *, f):
        return (u.laplacian + sin(u.value) - f) / dimension

    return pde.Problem(
        sine_gordon,
        pde.Ball([0] * dimension),
        [pde.dirichlet(0.0, hard=True)],
        reference=exact,
        given={"f": source},
        recipe=FEW_POINTS | ({"adam": 300} if dimension < 50_000 else {"adam": 150, "rate": 0.06}),
    )


def navier_stokes() -> pde.Problem:
    """The Navier–Stokes equations: a decaying Taylor–Green vortex"""
    nu = 0.05

    def exact(x, y, t):
        decay = exp(-2 * nu * t)
        velocity = jnp.stack([sin(x) * cos(y), -cos(x) * sin(y)]) * decay
        return velocity, (cos(2 * x) + cos(2 * y)) / 4 * decay**2

    # The equations leave the pressure free up to a function of time: it is given in a corner.
    corner = np.linspace([0, 0, 0], [0, 0, 1], 64)

    @pde.residual("x y t", fields="u[2] p")
    def navier_stokes(u, p, x, y, t):
        return pde.dt(u) + pde.advect(u, u) + pde.grad(p) - nu * pde.laplacian(u), pde.div(u)

    return pde.Problem(
        navier_stokes,
        pde.Box([0, 0], [2 * np.pi] * 2) * pde.Time(0, 1),
        [
            pde.periodic("x", hard=True),
            pde.periodic("y", hard=True),
            pde.initial(lambda x, y, t: exact(x, y, t)[0], field="u", hard=True),
            pde.data(corner, np.exp(-4 * nu * corner[:, 2]) / 2, field="p"),
        ],
        reference=exact,
        recipe={"points": 600},
    )

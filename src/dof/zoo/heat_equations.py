"""The heat equation u_t = Δu + f, in one, two and ten dimensions of space."""

import jax.numpy as jnp
from jax.numpy import cos, exp, pi, sin

from dof import pde


def heat() -> pde.Problem:
    """Heat with a source on an interval: u_t = u_xx + f."""

    def source(x, t):
        return (pi**2 - 1) * exp(-t) * sin(pi * x) + (t + 2 * pi**2 * t**2) * sin(2 * pi * x)

    @pde.residual("x t")
    def heat(u, x, t):
        return u.t - u.xx - source(x, t)

    return pde.Problem(
        heat,
        pde.Interval(0, 1) * pde.Time(0, 1),
        [pde.dirichlet(0.0, hard=True), pde.initial(lambda x, t: sin(pi * x), hard=True)],
        reference=lambda x, t: exp(-t) * sin(pi * x) + t**2 / 2 * sin(2 * pi * x),
        recipe={"newton": 40},
    )


def heat_2d() -> pde.Problem:
    """Heat with a source on a square: u_t = u_xx + u_yy + f."""

    def shape(x, y):
        return sin(pi * x) * sin(pi * y)

    @pde.residual("x y t")
    def heat_2d(u, x, y, t):
        return u.t - u.xx - u.yy - (2 * pi**2 * cos(2 * t) - 2 * sin(2 * t)) * shape(x, y)

    return pde.Problem(
        heat_2d,
        pde.Box([0, 0], [1, 1]) * pde.Time(0, 1),
        [pde.dirichlet(0.0, hard=True), pde.initial(lambda x, y, t: shape(x, y), hard=True)],
        reference=lambda x, y, t: cos(2 * t) * shape(x, y),
        recipe={"newton": 40},
    )


def heat_10d() -> pde.Problem:
    """Heat with a source in the unit ball of 10 dimensions: u_t = Δu + f."""
    k = jnp.linspace(-1, 1, 10)

    @pde.residual("x[10] t")
    def heat_10d(u, x, t):
        # of exp(−t) (1 − |x|²) cos(k·x): Δ = −(20 + |k|² (1 − |x|²)) cos(k·x) + 4 k·x sin(k·x)
        inside, phase = 1 - x @ x, k @ x
        laplacian = -(20 + k @ k * inside) * cos(phase) + 4 * phase * sin(phase)
        return pde.dt(u) - u.laplacian + exp(-t) * (inside * cos(phase) + laplacian)

    return pde.Problem(
        heat_10d,
        pde.Ball([0] * 10) * pde.Time(0, 1),
        [pde.dirichlet(0.0, hard=True), pde.initial(lambda x, t: (1 - x @ x) * cos(k @ x), hard=True)],
        reference=lambda x, t: exp(-t) * (1 - x @ x) * cos(k @ x),
        # Two layers, in which e⁻ᵗ and the wave can multiply; a step takes the time of the cube of their size. With 32
        # units and 240 steps the error is 2.0e-7 after 102 s of a processor, with 24 and 120 it is 3.5e-7 after 50 s,
        # with 20 and 160 6.2e-7 after 44 s. One layer of 64 ends at 3.6e-5.
        recipe={"width": 24, "adam": 0, "newton": 120},
    )

"""Beams and plates, whose equations are of order four."""

import numpy as np
from jax.numpy import cos, pi, sin

from dof import pde
from dof.zoo.mirrored_features import mirrored


def beam() -> pde.Problem:
    """The Euler–Bernoulli beam, supported at both ends, in its first two tones: u_tt + u_xxxx = 0."""
    # Half a period of the lower tone and two of the higher one.
    duration = 1 / np.pi

    def exact(x, t):
        return sin(pi * x) * cos(pi**2 * t) + sin(2 * pi * x) * cos(4 * pi**2 * t) / 4

    @pde.residual("x t")
    def beam(u, x, t):
        return u.tt + u.xxxx

    return pde.Problem(
        beam,
        pde.Interval(0, 1) * pde.Time(0, duration),
        [
            pde.initial(lambda x, t: sin(pi * x) + sin(2 * pi * x) / 4, hard=True),
            pde.initial_velocity(0.0, hard=True),
        ],
        reference=exact,
        # Odd about both ends, as the solution is: u = u_xx = 0 there by construction.
        features=mirrored(1, duration),
        ansatz=lambda n, x, t: sin(pi * x) * n,
        recipe={"adam": 0, "newton": 200},
    )


def plate() -> pde.Problem:
    """A clamped square plate under a load: Δ²u = f."""

    def load(x, y):
        # Δ² of sin²(πx) sin²(πy), by sin² = (1 − cos) / 2
        a, b = cos(2 * pi * x), cos(2 * pi * y)
        return 4 * pi**4 * (4 * a * b - a - b)

    @pde.residual("x y")
    def plate(u, x, y):
        return (u.biharmonic - load(x, y)) / (4 * pi**4)

    return pde.Problem(
        plate,
        pde.Box([0, 0], [1, 1]),
        reference=lambda x, y: sin(pi * x) ** 2 * sin(pi * y) ** 2,
        # The square of a distance: u and its slope vanish at all edges by construction.
        ansatz=lambda n, x, y: (16 * x * (1 - x) * y * (1 - y)) ** 2 * n,
        recipe={"newton": 100},
    )

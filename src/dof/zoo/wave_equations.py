"""Waves: the wave equation and Klein–Gordon equations."""

from jax.numpy import cos, pi, sin

from dof import pde
from dof.zoo.mirrored_features import mirrored


def wave() -> pde.Problem:
    """The wave equation on a string: u_tt = 4 u_xx, with a tone and an overtone."""

    @pde.residual("x t")
    def wave(u, x, t):
        return u.tt - 4 * u.xx

    def ansatz(n, x, t):
        """Given by construction: u and u_t at the start, and u at both ends."""
        # About one from 1/8 on, half a period of the overtone: t² would ask the network for large values near zero.
        free = t**2 / (t**2 + 1 / 64) * sin(pi * x)
        return sin(pi * x) + sin(4 * pi * x) / 2 + free * n

    return pde.Problem(
        wave,
        pde.Interval(0, 1) * pde.Time(0, 1),
        reference=lambda x, t: sin(pi * x) * cos(2 * pi * t) + sin(4 * pi * x) * cos(8 * pi * t) / 2,
        # Odd about both ends, as the solution is.
        features=mirrored(1, 1),
        ansatz=ansatz,
        recipe={"width": 24, "depth": 3, "points": 2000, "adam": 0, "newton": 120},
    )


def klein_gordon() -> pde.Problem:
    """A nonlinear Klein–Gordon equation: u_tt − u_xx + u³ = f."""

    def exact(x, t):
        return x * cos(5 * pi * t) + (x * t) ** 3

    def source(x, t):
        return -25 * pi**2 * x * cos(5 * pi * t) + 6 * x**3 * t - 6 * x * t**3 + exact(x, t) ** 3

    @pde.residual("x t")
    def klein_gordon(u, x, t):
        return u.tt - u.xx + u**3 - source(x, t)

    return pde.Problem(
        klein_gordon,
        pde.Interval(0, 1) * pde.Time(0, 1),
        [
            pde.dirichlet(lambda x, t: x * (cos(5 * pi * t) + t**3), hard=True),
            pde.initial(lambda x, t: x, hard=True),
            pde.initial_velocity(0.0, hard=True),
        ],
        reference=exact,
        recipe={"newton": 60},
    )


def klein_gordon_3d() -> pde.Problem:
    """The Klein–Gordon equation in a cube: u_tt − Δu + u = f."""

    def shape(x, y, z):
        return sin(pi * x) * sin(pi * y) * sin(pi * z)

    @pde.residual("x y z t")
    def klein_gordon_3d(u, x, y, z, t):
        return u.tt - u.laplacian + u - (3 * pi**2 - 3) * cos(2 * t) * shape(x, y, z)

    return pde.Problem(
        klein_gordon_3d,
        pde.Box([0, 0, 0], [1, 1, 1]) * pde.Time(0, 1),
        [
            pde.dirichlet(0.0, hard=True),
            pde.initial(lambda x, y, z, t: shape(x, y, z), hard=True),
            pde.initial_velocity(0.0, hard=True),
        ],
        reference=lambda x, y, z, t: cos(2 * t) * shape(x, y, z),
        recipe={"newton": 60},
    )

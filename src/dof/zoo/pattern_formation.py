"""Equations of order four in which patterns form: Kuramoto–Sivashinsky, Cahn–Hilliard, Swift–Hohenberg.

Each is solved on half a period. The initial value is even or odd about both ends of it, and so is the solution: the
reference is that of the whole period, and the boundary conditions hold by construction.

- Odd, Kuramoto–Sivashinsky: u = u_xx = 0 at both ends.
- Even, Cahn–Hilliard and Swift–Hohenberg: u_x = u_xxx = 0 at both ends, nothing flows out.
"""

import numpy as np
from jax.numpy import cos, pi, sin

from dof import pde
from dof.zoo.mirrored_features import mirrored
from dof.zoo.periodic_reference import PeriodicReference


def kuramoto_sivashinsky() -> pde.Problem:
    """The Kuramoto–Sivashinsky equation before chaos sets in: u_t + u u_x + u_xx + u_xxxx = 0."""
    # u u_x feeds waves of k = 2 and higher, which decay at the rate 12 and higher: at first much changes within 0.05.
    length, duration, fastest = 4 * np.pi, 5.0, 0.05
    reference = PeriodicReference(
        linear=lambda k: k**2 - k**4,
        outer=lambda k: -0.5j * k,
        inner=np.square,
        initial=lambda x: np.sin(x / 4) + np.sin(x / 2),
        ends=(-length, length),
        duration=duration,
        points=128,
        steps=10_000,
    )

    @pde.residual("x t")
    def kuramoto_sivashinsky(u, x, t):
        return u.t + u * u.x + u.xx + u.xxxx

    return pde.Problem(
        kuramoto_sivashinsky,
        pde.Interval(0, length) * pde.Time(0, duration, crowded=fastest),
        [pde.initial(lambda x, t: sin(x / 4) + sin(x / 2), hard=True)],
        reference=reference,
        features=mirrored(length, duration, fastest),
        ansatz=lambda n, x, t: sin(x / 4) * n,
        recipe={"width": 16, "depth": 3, "points": 1500, "newton": 400, "report": 50, "chebyshev": True},
    )


def cahn_hilliard() -> pde.Problem:
    """The Cahn–Hilliard equation, whose phases separate: u_t = 0.1 (u³ − u − 0.0025 u_xx)_xx."""
    # u³ feeds waves of k = 8π and higher, which decay at the rate 37 and higher: at first much changes within 0.02.
    mobility, gradient, duration, fastest = 0.1, 0.05**2, 0.5, 0.02
    reference = PeriodicReference(
        linear=lambda k: mobility * (k**2 - gradient * k**4),
        outer=lambda k: -mobility * k**2,
        inner=lambda u: u**3,
        initial=lambda x: np.cos(np.pi * x) / 2 - np.cos(2 * np.pi * x) / 4,
        ends=(-1.0, 1.0),
        duration=duration,
        points=256,
        steps=10_000,
    )

    @pde.residual("x t")
    def cahn_hilliard(u, x, t):
        # (u³)_xx = 3 u² u_xx + 6 u u_x²
        return u.t - mobility * ((3 * u**2 - 1) * u.xx + 6 * u * u.x**2 - gradient * u.xxxx)

    return pde.Problem(
        cahn_hilliard,
        pde.Interval(0, 1) * pde.Time(0, duration, crowded=fastest),
        [pde.initial(lambda x, t: cos(pi * x) / 2 - cos(2 * pi * x) / 4, hard=True)],
        reference=reference,
        features=mirrored(1, duration, fastest),
        recipe={"width": 20, "depth": 3, "points": 1500, "newton": 120, "chebyshev": True},
    )


def swift_hohenberg() -> pde.Problem:
    """The Swift–Hohenberg equation, in which stripes form: u_t = u / 2 − (1 + ∂xx)² u − u³."""
    # u³ feeds waves of k = 3/2 to 3, which decay at the rates 1 to 64: at first much changes within 0.05.
    length, duration, fastest = 4 * np.pi, 5.0, 0.05
    reference = PeriodicReference(
        linear=lambda k: 0.5 - (1 - k**2) ** 2,
        outer=lambda k: -np.ones_like(k),
        inner=lambda u: u**3,
        initial=lambda x: (3 * np.cos(x) + 3 * np.cos(x / 2) + np.cos(x / 4)) / 10,
        ends=(-length, length),
        duration=duration,
        points=128,
        steps=4000,
    )

    @pde.residual("x t")
    def swift_hohenberg(u, x, t):
        return u.t + u / 2 + 2 * u.xx + u.xxxx + u**3

    return pde.Problem(
        swift_hohenberg,
        pde.Interval(0, length) * pde.Time(0, duration, crowded=fastest),
        [pde.initial(lambda x, t: (3 * cos(x) + 3 * cos(x / 2) + cos(x / 4)) / 10, hard=True)],
        reference=reference,
        features=mirrored(length, duration, fastest),
        recipe={"width": 16, "depth": 3, "points": 1500, "newton": 400, "report": 50, "chebyshev": True},
    )

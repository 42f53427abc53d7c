"""Nonlinear equations with sharp fronts: Burgers, Allen–Cahn."""

import jax.numpy as jnp
import numpy as np
from jax.numpy import cos, exp, pi, sin, tanh
from jax.scipy.special import erfc

from dof import pde
from dof.zoo.mirrored_features import mirrored
from dof.zoo.periodic_reference import PeriodicReference

DIFFUSION = 1e-4
"""Of the Allen–Cahn equation."""


def burgers() -> pde.Problem:
    """Burgers' equation with a shock: u_t + u u_x = (0.01 / π) u_xx."""
    viscosity, layer = 0.01 / np.pi, 0.01  # about as wide as the shock
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

    def features(z):
        """Even in x, as the network is to be: the logarithm of x² down to the width of the shock, x² and t."""
        x, t = z
        scale = jnp.log1p((x / layer) ** 2) / np.log1p(layer**-2)
        return jnp.stack([2 * scale - 1, 2 * x**2 - 1, 2 * t - 1])

    return pde.Problem(
        burgers,
        pde.Interval(-1, 1) * pde.Time(0, 1),
        reference=exact,
        features=features,
        # By construction u is odd, as the solution is, zero at both ends, and −sin(πx) at the start.
        ansatz=lambda n, x, t: -sin(pi * x) + tanh(3 * t) * tanh(x / layer) * (1 - x**2) * n,
        recipe={"width": 26, "depth": 3, "points": 5000, "adam": 0, "newton": 100, "report": 10, "adaptive": True},
    )


def allen_cahn() -> pde.Problem:
    """The Allen–Cahn equation, whose phases separate: u_t = 10⁻⁴ u_xx + 5 (u − u³), periodic."""
    reference = PeriodicReference(
        linear=lambda k: 5 - DIFFUSION * k**2,
        outer=lambda k: np.full_like(k, -5.0),
        inner=lambda u: u**3,
        initial=lambda x: x**2 * np.cos(np.pi * x),
        ends=(-1.0, 1.0),
        duration=1.0,
        points=2048,
        steps=4000,
    )

    @pde.residual("x t")
    def allen_cahn(u, x, t):
        return u.t - DIFFUSION * u.xx - 5 * (u - u**3)

    return pde.Problem(
        allen_cahn,
        pde.Interval(-1, 1) * pde.Time(0, 1),
        reference=reference,
        # Even about 0 and ±1, as the solution is. The initial value holds by construction.
        features=mirrored(1, 1),
        ansatz=lambda n, x, t: x**2 * cos(pi * x) + _rounded_corner(x, t) + tanh(3 * t) * n,
        # 1e-5 takes a network of this size: with 20 units and 1500 points 200 steps end at 2.6e-5.
        recipe={
            "width": 24,
            "depth": 3,
            "points": 2500,
            "adam": 0,
            "newton": 240,
            "report": 10,
            "chebyshev": True,
            "adaptive": True,
        },
    )


def _rounded_corner(x, t):
    """What takes the corner of u₀ at x = ±1 away, which no network of moderate size could.

    With s = 1 − |x| there, u₀ = −1 + 2 s + …, and near −1 the equation is w_t = 10⁻⁴ w_xx − 10 w for w = u + 1.
    Its solution is 2 e^{−10 t} h(s, t), where h solves the heat equation from h(s, 0) = |s|. Near the corner this
    function is 2 e^{−10 t} h − 2 s. Away from it h is s, and 2 cos(πx / 2) / π a smooth function that is s at it.
    """
    # 1e-15, since a width of zero would divide by zero.
    s, width, decay = 1 - jnp.abs(x), jnp.sqrt(4 * DIFFUSION * (t + 1e-15)), exp(-10 * t)
    rounded = width / jnp.sqrt(pi) * exp(-((s / width) ** 2)) - s * erfc(s / width)
    return 2 * decay * rounded - 4 / pi * (1 - decay) * cos(pi * x / 2)

"""The sine-Gordon equation in 100 to 100,000 dimensions."""

from typing import Any

import numpy as np
from jax.numpy import cos, sin

from dof import pde

FEW_POINTS = {"points": 100, "error_points": 128, "newton": 0, "rate": 0.02, "report": 10}
"""Few points for the error, as they are kept: 128 points of 100,000 coordinates take 100 MB, 4096 take 3 GB."""
NEW_POINTS = {"adam": 0, "report": 1, "depth": 1, "error_points": 128}
"""Gauss–Newton with fewer points than parameters, other ones at each step.

u / (1 − |x|²) is nearly a constant plus a linear function of d coefficients. The best constant is off by 10, 1.8, 1.5
and 1.1 % for d = 100, 1000, 10,000 and 100,000; with the linear function it is 1.7, 0.11, 0.026 and 0.005 %. From
1000 on Adam ends at the constant. A point tells one combination of the coefficients, so that some times d points are
needed in all; a step of Gauss–Newton fulfils the equation at its points with the least change of θ. For d = 1000 that
gives 0.31 % where Adam gives 1.9 %; for d = 100, where a quadratic form of full rank is left, 1.4 % and 2.3 %.
"""


def recipe(dimension: int) -> dict[str, Any]:
    """Settings by the number of dimensions; from 10,000 on points for the linear function would take too long."""
    if dimension > 1000:
        return FEW_POINTS | ({"adam": 300} if dimension < 50_000 else {"adam": 150, "rate": 0.06})
    width, points, newton = (64, 2000, 20) if dimension <= 100 else (8, 1000, 12)
    return NEW_POINTS | {"width": width, "points": points, "newton": newton}


def sine_gordon(dimension: int) -> pde.Problem:
    """The sine-Gordon equation in the unit ball of many dimensions: Δu + sin u = f."""
    # With a seed of its own, so that everybody solves the same problem.
    c = np.random.default_rng(0).normal(size=dimension - 1)

    def parts(x):
        """Of s = Σ c_i sin θ_i, θ_i = x_i + cos x_{i+1} + x_{i+1} cos x_i: s, x·∇s and Δs."""
        # Sine and cosine once for all coordinates: both neighbours use them.
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
        # The largest part of Δu is −2 · dimension · s: divided, the residual is of the order of s.
        return (u.laplacian + sin(u.value) - f) / dimension

    return pde.Problem(
        sine_gordon,
        pde.Ball([0] * dimension),
        [pde.dirichlet(0.0, hard=True)],
        reference=exact,
        given={"f": source},
        recipe=recipe(dimension),
    )

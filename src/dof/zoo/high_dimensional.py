"""The sine-Gordon equation in 100 to 100,000 dimensions."""

import numpy as np
from jax.numpy import cos, sin

from dof import pde

FEW_POINTS = {"points": 100, "error_points": 128, "newton": 0, "rate": 0.02, "report": 10}
"""Few points for the error, as they are kept: 128 points of 100,000 coordinates take 100 MB, the usual 4096 take 3 GB.
Adam with few points, drawn anew often, is a choice that no recorded measurement compares with others."""


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
        recipe=FEW_POINTS | ({"adam": 300} if dimension < 50_000 else {"adam": 150, "rate": 0.06}),
    )

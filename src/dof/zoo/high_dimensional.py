"""The sine-Gordon equation in 100 to 100,000 dimensions."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.numpy import cos, sin, tanh

from dof import pde

MANY = {"points": 100, "error_points": 128, "newton": 0, "rate": 0.02, "report": 10}
"""From 10,000 dimensions on: few points for the error, as they are kept: 128 points of 100,000 coordinates take 100 MB,
4096 take 3 GB."""
UNITS, FUNCTIONS = 8, 2
"""Of the functions φ that all pairs of neighbours share."""


def recipe(dimension: int) -> dict[str, Any]:
    """Settings by the number of dimensions."""
    if dimension <= 1000:
        return {"adam": 0, "newton": 30 if dimension <= 100 else 10, "report": 5, "error_points": 1024}
    return MANY | ({"adam": 300} if dimension < 50_000 else {"adam": 150, "rate": 0.06})


def chain(dimension: int) -> tuple[Any, Callable[[Any, Any], Any]]:
    """A network Σ_i c_i · φ(x_i, x_{i+1}), with the same functions φ for all pairs of neighbours, an MLP of two inputs.

    Neighbours are what the equation's source is made of. An MLP has to find them: u / (1 − |x|²) is a constant to 9.4 %
    in 100 dimensions, a linear function to 1.6 %, a quadratic form of full rank to 0.13 %, for which 64 units are
    too few. In 1000 dimensions a linear function is off by 0.12 %.
    """
    rng = np.random.default_rng(1)
    params = {
        "matrix": rng.normal(size=(UNITS, 2)) / np.sqrt(2),
        "bias": rng.uniform(-1, 1, UNITS),
        "functions": rng.normal(size=(FUNCTIONS, UNITS)) / np.sqrt(UNITS),
        "coefficients": rng.normal(size=(FUNCTIONS, dimension - 1)) / np.sqrt(dimension),
        "constant": np.zeros(()),
    }

    def apply(params: Any, x: Any) -> Any:
        left, right = params["matrix"].T
        units = tanh(left[:, None] * x[:-1] + right[:, None] * x[1:] + params["bias"][:, None])
        return params["constant"] + jnp.sum(params["coefficients"] * (params["functions"] @ units))

    return params, apply


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
        network=chain(dimension) if dimension <= 1000 else None,
        recipe=recipe(dimension),
    )

"""A plate on hinges under even load: Δ²w = 1, with w = Δw = 0 on the edges."""

import numpy as np
from jax.numpy import cosh, pi, sin, sinh

from dof import pde


@pde.residual("x y")
def plate(w, x, y):
    return w.biharmonic - 1


hinged = pde.residual("x y")(lambda w, x, y: w.laplacian)
k = pi * np.arange(1, 60, 2)


def levy(x, y):
    s, half = k * (y - 1 / 2), k / 2
    across = ((half * np.tanh(half) + 2) * cosh(s) - s * sinh(s)) / cosh(half)
    return (x - 2 * x**3 + x**4) / 24 - (2 / k**5 * across) @ sin(k * x)


problem = pde.Problem(
    plate,
    pde.Box([0, 0], [1, 1]),
    [pde.dirichlet(0.0, hard=True), pde.on("boundary", hinged)],
    reference=levy,
    recipe={"newton": 150, "edge_points": 400},
)

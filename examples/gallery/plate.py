"""A plate on hinges under even load: Δ²w = 1, with w = Δw = 0 on the edges."""

import numpy as np
from jax.numpy import pi, sin

from dof import pde


@pde.residual("x y")
def plate(w, x, y):
    return w.biharmonic - 1


hinged = pde.residual("x y")(lambda w, x, y: w.laplacian)
odd = np.arange(1, 60, 2)
navier = 16 / pi**6 / (np.outer(odd, odd) * (odd[:, None] ** 2 + odd**2) ** 2)

problem = pde.Problem(
    plate,
    pde.Box([0, 0], [1, 1]),
    [pde.dirichlet(0.0, hard=True), pde.on("boundary", hinged)],
    reference=lambda x, y: sin(odd * pi * x) @ navier @ sin(odd * pi * y),
    recipe={"newton": 150, "edge_points": 400},
)

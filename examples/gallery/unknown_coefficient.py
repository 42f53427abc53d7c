"""An inverse problem: a conductivity k(x) from measurements of u, div(k grad u) = f."""

import numpy as np
from jax.numpy import cos, exp, pi, sin

from dof import pde

u_of = lambda x, y: exp(x) + y**2  # noqa: E731
k_of = lambda x, y: 1 + sin(pi * x) / 2  # noqa: E731


@pde.residual("x y", fields="u k")
def unknown_coefficient(u, k, x, y):
    source = pi / 2 * cos(pi * x) * exp(x) + k_of(x, y) * (exp(x) + 2)
    return pde.div(k * pde.grad(u)) - source


points = np.random.default_rng(0).random((400, 2))
measured = np.exp(points[:, 0]) + points[:, 1] ** 2

problem = pde.Problem(
    unknown_coefficient,
    pde.Box([0, 0], [1, 1]),
    [pde.data(points, measured, field="u"), pde.dirichlet(1.0, on="x=0", field="k")],
    reference=lambda x, y: (u_of(x, y), k_of(x, y)),
    recipe={"width": 16, "newton": 100},
    network={"k": {"width": 8, "depth": 1, "of": "x"}},  # smaller, since it depends on x only
)

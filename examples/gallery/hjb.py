"""A Hamilton–Jacobi–Bellman equation in 100 dimensions: u_t = Δu − |∇u|², u(x, 0) = log((1 + |x|²) / 2)."""

import numpy as np
from jax.numpy import exp, log, log1p, stack, sum

from dof import pde

DIMENSIONS, RADIUS = 100, 20.0


def hjb(dimensions):
    @pde.residual(f"x[{dimensions}] t")
    def hjb(u, x, t):
        return u.t - u.laplacian + u.gradient @ u.gradient

    # exp(−u) solves the heat equation: 2 / (1 + |x|²) = 2 ∫ exp(−s (1 + |x|²)) ds, a Gaussian for each s = exp(v).
    v = np.linspace(-30, 6, 400)

    def exact(x, t):
        s, wider = np.exp(v), 1 + 4 * np.exp(v) * t
        return -log(2 * (v[1] - v[0]) * sum(exp(v - s - s * sum(x**2) / wider - dimensions / 2 * log(wider))))

    return pde.Problem(
        hjb,
        pde.Ball([0.0] * dimensions, RADIUS, crowded=True) * pde.Time(0, 1),
        [pde.initial(lambda x, t: log((1 + sum(x**2)) / 2), hard=True), pde.dirichlet(exact)],
        reference=exact,
        # u depends on |x| and t, on all scales of both.
        features=lambda z: stack([log1p(sum(z[:-1] ** 2)) / 3 - 1, log1p(2 * dimensions * z[-1]) / 3 - 1]),
        recipe={"width": 16, "newton": 100, "adam": 20},
    )


problem = hjb(DIMENSIONS)

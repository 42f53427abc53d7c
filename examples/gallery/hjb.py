"""A Hamilton–Jacobi–Bellman equation in 100 dimensions: u_t = Δu − |∇u|², u(x, 0) = log((1 + |x|²) / 2)."""

import numpy as np
from jax.numpy import exp, log, stack, sum

from dof import pde

DIMENSIONS = 100


def hjb(dimensions):
    @pde.residual(f"x[{dimensions}] t")
    def hjb(u, x, t):
        return u.t - u.laplacian + u.gradient @ u.gradient

    # exp(−u) solves the heat equation: 2 / (1 + |x|²) = 2 ∫ exp(−s (1 + |x|²)) ds, a Gaussian for each s.
    nodes, weights = np.polynomial.legendre.leggauss(100)
    v = (nodes + 1) / 2
    s = 5 * v / (1 - v) / dimensions
    ds = 5 / dimensions / (1 - v) ** 2 * weights / 2

    def exact(x, t):
        wider = 1 + 4 * s * t
        return -log(2 * sum(ds * exp(-s - s * sum(x**2) / wider - dimensions / 2 * log(wider))))

    return pde.Problem(
        hjb,
        pde.Box([-1] * dimensions, [1] * dimensions) * pde.Time(0, 1),
        [pde.initial(lambda x, t: log((1 + sum(x**2)) / 2), hard=True)],
        reference=exact,
        features=lambda z: stack([sum(z[:-1] ** 2) / dimensions, z[-1]]),  # u depends on |x| and t
        recipe={"width": 16, "newton": 60, "adam": 20},
    )


problem = hjb(DIMENSIONS)

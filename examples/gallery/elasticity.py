"""A thick tube under inner pressure (plane strain): div σ = 0, σ = λ tr(ε) + 2 μ ε, ε = (∇u + ∇uᵀ) / 2."""

import jax.numpy as jnp

from dof import pde

LAMBDA, MU, PRESSURE = 1.0, 0.5, 0.3


def stress(u):
    strain = (pde.grad(u) + pde.grad(u).T) / 2
    return LAMBDA * jnp.trace(strain) * jnp.eye(2) + 2 * MU * strain


@pde.residual("x y", fields="u[2]")
def elasticity(u, x, y):
    return pde.div(stress(u))


pressed = pde.residual("x y", fields="u[2]")(lambda u, x, y, *, n: stress(u) @ n + PRESSURE * n)


def exact(x, y):
    """Lamé: u_r = a r + b / r, with σ_rr = −PRESSURE at r = 1 and u = 0 at r = 2."""
    b = PRESSURE / (2 * MU + (LAMBDA + MU) / 2)
    square = x**2 + y**2
    return jnp.stack([x, y]) * b * (1 / square - 1 / 4)


problem = pde.Problem(
    elasticity,
    pde.Shell([0, 0], 1.0, 2.0),
    [
        pde.dirichlet(0.0, on=lambda x, y: x**2 + y**2 > 2, hard=True),
        pde.on(lambda x, y: x**2 + y**2 < 2, pressed),
    ],
    reference=exact,
    recipe={"width": 24, "newton": 100},
)

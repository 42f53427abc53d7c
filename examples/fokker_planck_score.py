"""A Fokker–Planck equation for the score's potential: log p of a diffusion with a full, variable matrix.

∂p/∂t = −∇·(b p) + Σ d_ij ∂²p/∂x_i∂x_j   reads, for q = log p,   ∂q/∂t = Σ d_ij (q_ij + q_i q_j) − b·∇q − div b
"""

import jax
import jax.numpy as jnp
import numpy as np

import dof
from dof import pde

D = np.array([[0.5, 0.1], [0.1, 0.3]])


@pde.residual("x y t")
def score(q, x, y, t):
    """Drift b = −(x, y)."""
    second = D[0, 0] * q.xx + 2 * D[0, 1] * q.xy + D[1, 1] * q.yy
    return q.t - second - pde.grad(q) @ D @ pde.grad(q) - (x * q.x + y * q.y) - 2


def log_density(z):
    """The Gaussian that stays in shape: covariance S(t) = D + (1 − D) e^{−2t}, mean e^{−t} (1, 0)."""
    covariance = D + (np.eye(2) - D) * jnp.exp(-2 * z[2])
    away = z[:2] - jnp.exp(-z[2]) * jnp.array([1.0, 0.0])
    return -away @ jnp.linalg.solve(covariance, away) / 2 - jnp.log(jnp.linalg.det(covariance)) / 2


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    print(score.plan)
    points = jax.random.uniform(jax.random.key(0), (200, 3))
    exact = jax.jit(score(log_density))(points)
    print(f"residual of the exact score potential: {jnp.abs(exact).max():.1e}")
    assert jnp.abs(exact).max() < 1e-4

    problem = pde.Problem(
        score,
        pde.Box([-2, -2], [2, 2]) * pde.Time(0, 1),
        [
            pde.initial(lambda x, y, t: -((x - 1) ** 2 + y**2) / 2, hard=True),
            pde.dirichlet(lambda x, y, t: log_density(jnp.stack([x, y, t]))),
        ],
        reference=lambda x, y, t: log_density(jnp.stack([x, y, t])),
    )
    solution = dof.solve(problem, adam=20, newton=20, points=400, edge_points=100)
    print(solution)
    assert solution.error < 1e-2

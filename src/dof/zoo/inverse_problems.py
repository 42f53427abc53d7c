"""Inverse problems: a diffusion tensor from measurements."""

import jax.numpy as jnp
import numpy as np

from dof import pde


def diffusion_tensor() -> pde.Problem:
    """An inverse problem: the diffusion tensor from noisy measurements of what has spread."""
    truth = np.array([0.5, 0.2, 0.3])
    tensor = np.array([[truth[0], truth[1]], [truth[1], truth[2]]])

    def exact(x, y, t):
        """A Gaussian of covariance ½ + 2 A t."""
        z, covariance = jnp.stack([x, y]), 0.5 * np.eye(2) + 2 * tensor * t
        return jnp.exp(-z @ jnp.linalg.solve(covariance, z) / 2) / (2 * jnp.sqrt(jnp.linalg.det(covariance)))

    # The measurements are part of the problem, the same whatever the seed of training is. In NumPy: in float64 always.
    rng = np.random.default_rng(0)
    points = rng.uniform([-2, -2, 0], [2, 2, 1], (500, 3))
    covariances = 0.5 * np.eye(2) + 2 * tensor * points[:, 2, None, None]
    quadratic = np.einsum("ni,nij,nj->n", points[:, :2], np.linalg.inv(covariances), points[:, :2])
    values = np.exp(-quadratic / 2) / (2 * np.sqrt(np.linalg.det(covariances)))
    measured = values + 1e-3 * rng.normal(size=500)

    @pde.residual("x y t")
    def diffusion_tensor(u, x, y, t, *, a):
        return u.t - a[0] * u.xx - 2 * a[1] * u.xy - a[2] * u.yy

    return pde.Problem(
        diffusion_tensor,
        pde.Box([-2, -2], [2, 2]) * pde.Time(0, 1),
        # A small weight: what is asked is to fulfil the equation, and the data to their noise only.
        [pde.data(points, measured, weight=0.01)],
        reference=exact,
        unknowns={"a": [1.0, 0.0, 1.0]},
        truth={"a": truth.tolist()},
        recipe={"newton": 60},
    )

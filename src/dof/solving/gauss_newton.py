"""Gauss–Newton steps with damping (Levenberg–Marquardt), for losses that are sums of squares.

    (Jᵀ J + λ τ 1) d = Jᵀ r,   θ ← θ − d,    τ = trace(Jᵀ J) / P

A step that does not lower the loss is not taken, and λ grows. With fewer residuals than parameters the same d is
Jᵀ (J Jᵀ + λ τ 1)⁻¹ r. Solvers for general least squares get J by one pass over all points for each of its rows or
columns; here each row belongs to one point, so that one reverse pass over the points gives all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_factor, cho_solve

from dof.solving.objective import Objective
from dof.solving.sampling import Batch

FIRST_DAMPING = 1e-3
LEAST_DAMPING, MOST_DAMPING = 1e-14, 1e6
SHRINK, GROW = 1 / 3, 4.0


def start(theta: Any) -> Any:
    """The damping λ."""
    return jnp.asarray(FIRST_DAMPING, theta.dtype)


def gauss_newton_steps(objective: Objective, theta: Any, damping: Any, batch: Batch, weights: Any, n: int) -> Any:
    """(θ, λ, losses of each term after each of n steps)"""

    def linearised(theta: Any) -> Any:
        return objective.residuals_and_jacobian(theta, batch, weights)

    def step(carry: Any, _: Any) -> Any:
        old, damping = carry
        theta = old[0] - _direction(jnp.concatenate(old[1]), old[2], damping)
        new = (theta, *linearised(theta))
        better = _loss(new[1]) < _loss(old[1])
        kept = jax.tree.map(lambda a, b: jnp.where(better, a, b), new, old)
        damping = jnp.clip(damping * jnp.where(better, SHRINK, GROW), LEAST_DAMPING, MOST_DAMPING)
        return (kept, damping), jnp.stack([_loss([part]) for part in kept[1]]) / weights

    first = (theta, *linearised(theta))
    ((theta, *_), damping), losses = jax.lax.scan(step, (first, damping), length=n)
    return theta, damping, losses


def _direction(residuals: Any, jacobian: Any, damping: Any) -> Any:
    rows, columns = jacobian.shape
    shift = damping * jnp.sum(jacobian**2) / columns
    if rows < columns:
        return jacobian.T @ _solved(jacobian @ jacobian.T, shift, residuals)
    return _solved(jacobian.T @ jacobian, shift, jacobian.T @ residuals)


def _solved(matrix: Any, shift: Any, right: Any) -> Any:
    return cho_solve(cho_factor(matrix + shift * jnp.eye(len(matrix), dtype=matrix.dtype)), right)


def _loss(residuals: Sequence[Any]) -> Any:
    return sum(jnp.sum(part**2) for part in residuals)

"""Gauss–Newton steps with damping (Levenberg–Marquardt) along a parabola, for losses that are sums of squares.

    (Jᵀ J + λ τ 1) v = −Jᵀ r,      (Jᵀ J + λ τ 1) a = −Jᵀ ∂²r/∂v²,      θ ← θ + v + ½ a,      τ = trace(Jᵀ J) / P

The second solve has the factor of the first, and ∂²r/∂v² is one more forward pass: for the price of a line the step
follows how the residuals bend (Transtrum and Sethna 2012), and gets an order further or more. A step that does not
lower the loss is not taken, and λ grows. With fewer residuals than parameters the same v is −Jᵀ (J Jᵀ + λ τ 1)⁻¹ r.

Solvers for general least squares get J by one pass over all points for each of its rows or columns; here each row
belongs to one point, so that one reverse pass over the points gives all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_factor, cho_solve

from dof.solving.objective import Objective
from dof.solving.sampling import Batch

FIRST_DAMPING = 1e-3
LEAST_DAMPING, MOST_DAMPING = 1e-14, 1e6
SHRINK, GROW = 1 / 3, 4.0
MOST_BEND = 0.75
"""The length of a relative to v beyond which the parabola is not trusted."""


def start(theta: Any) -> Any:
    """The damping λ."""
    return jnp.asarray(FIRST_DAMPING, theta.dtype)


def gauss_newton_steps(objective: Objective, theta: Any, damping: Any, batch: Batch, weights: Any, n: int) -> Any:
    """(θ, λ, losses of each term after each of n steps)"""

    def linearised(theta: Any) -> Any:
        return (theta, *objective.residuals_and_jacobian(theta, batch, weights))

    def step(carry: Any, _: Any) -> Any:
        old, damping = carry
        theta, values, jacobian = old
        residuals = lambda theta: objective.residuals(theta, batch, weights)  # noqa: E731
        new = linearised(_moved(residuals, theta, values, jacobian, damping))
        better = _loss(new[1]) < _loss(old[1])
        kept = jax.tree.map(lambda a, b: jnp.where(better, a, b), new, old)
        damping = jnp.clip(damping * jnp.where(better, SHRINK, GROW), LEAST_DAMPING, MOST_DAMPING)
        return (kept, damping), jnp.stack([_loss([part]) for part in kept[1]]) / weights

    ((theta, *_), damping), losses = jax.lax.scan(step, (linearised(theta), damping), length=n)
    return theta, damping, losses


def _moved(residuals: Callable[[Any], Any], theta: Any, values: Any, jacobian: Any, damping: Any) -> Any:
    """θ + v + ½ a"""
    solve = _solver(jacobian, damping)
    v = -solve(jnp.concatenate(values))
    along = lambda f: lambda theta: jax.jvp(f, (theta,), (v,))[1]  # noqa: E731
    a = -solve(jnp.concatenate(along(along(residuals))(theta)))
    return theta + v + a / 2 * jnp.minimum(1.0, MOST_BEND * jnp.linalg.norm(v) / jnp.linalg.norm(a))


def _solver(jacobian: Any, damping: Any) -> Callable[[Any], Any]:
    """(Jᵀ J + λ τ 1)⁻¹ Jᵀ, by whichever of Jᵀ J and J Jᵀ is smaller."""
    rows, columns = jacobian.shape
    small = jacobian @ jacobian.T if rows < columns else jacobian.T @ jacobian
    shift = damping * jnp.trace(small) / columns
    factor = cho_factor(small + shift * jnp.eye(len(small), dtype=small.dtype))
    if rows < columns:
        return lambda r: jacobian.T @ cho_solve(factor, r)
    return lambda r: cho_solve(factor, jacobian.T @ r)


def _loss(residuals: Sequence[Any]) -> Any:
    return sum(jnp.sum(part**2) for part in residuals)

"""Gauss–Newton steps with damping (Levenberg–Marquardt) and geodesic acceleration, for losses that are sums of squares.

    (Jᵀ J + λ τ 1) v = −Jᵀ r,      (Jᵀ J + λ τ 1) a = −Jᵀ ∂²r/∂v²,      θ ← θ + v + ½ a,      τ = trace(Jᵀ J) / P

with J the Jacobian of the residuals r in the P parameters θ. The second solve uses the Cholesky factor of the first,
and ∂²r/∂v², the second derivative of r along v, is one more forward pass: at little cost the step is a parabola that
follows the curvature of the residuals (Transtrum and Sethna 2012), and ends an order of magnitude lower or more. A step
that does not lower the loss is not taken, and λ grows. With fewer residuals than parameters the same v is
−Jᵀ (J Jᵀ + λ τ 1)⁻¹ r, with the smaller matrix.

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
"""λ of the first step, relative to the mean eigenvalue τ: between a gradient step (large λ) and a Newton step (0)."""
LEAST_DAMPING, MOST_DAMPING = 1e-14, 1e6
"""λ below the first is lost in the rounding of float64; above the second a step does not move θ any more."""
SHRINK, GROW = 1 / 3, 4.0
"""Factors of λ after a step that lowers the loss and after one that does not. It grows faster than it shrinks, since a
step that is not taken costs as much as one that is."""
MOST_ACCELERATION = 0.75
"""The length of a relative to v beyond which a is shortened: the parabola is a series in v, whose next terms would
count then (Transtrum and Sethna recommend 0.75)."""


def start(theta: Any) -> Any:
    """The damping λ before the first step."""
    return jnp.asarray(FIRST_DAMPING, theta.dtype)


def gauss_newton_steps(objective: Objective, theta: Any, damping: Any, batch: Batch, weights: Any, n: int) -> Any:
    """Take n steps from θ with damping λ.

    Args:
        objective: The residuals and their Jacobian.
        theta: The parameters, (P,).
        damping: λ.
        batch: The points of each term.
        weights: Of the terms, (terms,).
        n: How many steps.

    Returns:
        θ and λ after the steps, and the loss of each term after each step, (n, terms).
    """

    def linearised(theta: Any) -> Any:
        return (theta, *objective.residuals_and_jacobian(theta, batch, weights))

    def step(carry: Any, _: Any) -> Any:
        old, damping = carry
        theta, values, jacobian = old
        residuals = lambda theta: objective.residuals(theta, batch, weights)  # noqa: E731
        new = linearised(_moved(residuals, theta, values, jacobian, damping))
        # False where the new loss is nan, as after a Cholesky factorisation that fails: that step is not taken either.
        better = _loss(new[1]) < _loss(old[1])
        kept = jax.tree.map(lambda a, b: jnp.where(better, a, b), new, old)
        damping = jnp.clip(damping * jnp.where(better, SHRINK, GROW), LEAST_DAMPING, MOST_DAMPING)
        # The residuals have the factor √weight in them; what is reported is the mean square of each term without it.
        return (kept, damping), jnp.stack([_loss([part]) for part in kept[1]]) / weights

    ((theta, *_), damping), losses = jax.lax.scan(step, (linearised(theta), damping), length=n)
    return theta, damping, losses


def _moved(residuals: Callable[[Any], Any], theta: Any, values: Any, jacobian: Any, damping: Any) -> Any:
    """θ + v + ½ a, with a shortened where it is long beside v."""
    solve = _solver(jacobian, damping)
    v = -solve(jnp.concatenate(values))
    along = lambda f: lambda theta: jax.jvp(f, (theta,), (v,))[1]  # noqa: E731
    a = -solve(jnp.concatenate(along(along(residuals))(theta)))
    # Where a is zero (linear residuals) the quotient is infinite, and the minimum 1.
    return theta + v + a / 2 * jnp.minimum(1.0, MOST_ACCELERATION * jnp.linalg.norm(v) / jnp.linalg.norm(a))


def _solver(jacobian: Any, damping: Any) -> Callable[[Any], Any]:
    """The function r ↦ (Jᵀ J + λ τ 1)⁻¹ Jᵀ r, by a Cholesky factor of the smaller one of Jᵀ J and J Jᵀ."""
    rows, columns = jacobian.shape
    # Both matrices have the same trace, so that τ and the step do not depend on which one is factored.
    small = jacobian @ jacobian.T if rows < columns else jacobian.T @ jacobian
    shift = damping * jnp.trace(small) / columns
    factor = cho_factor(small + shift * jnp.eye(len(small), dtype=small.dtype))
    if rows < columns:
        return lambda r: jacobian.T @ cho_solve(factor, r)
    return lambda r: cho_solve(factor, jacobian.T @ r)


def _loss(residuals: Sequence[Any]) -> Any:
    return sum(jnp.sum(part**2) for part in residuals)

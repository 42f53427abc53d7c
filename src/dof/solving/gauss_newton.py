"""Gauss–Newton steps with damping (Levenberg–Marquardt) and geodesic acceleration, for losses that are sums of squares.

    (Jᵀ J + λ τ 1) v = −Jᵀ r,      (Jᵀ J + λ τ 1) a = −Jᵀ ∂²r/∂v²,      θ ← θ + v + ½ a,      τ = trace(Jᵀ J) / P

with J the Jacobian of the residuals r in the P parameters θ. The second solve uses the Cholesky factor of the first,
and ∂²r/∂v², the second derivative of r along v, is one more forward pass: at little cost the step is a parabola that
follows the curvature of the residuals (Transtrum and Sethna 2012), and ends an order of magnitude lower or more. What
is left of the curvature is taken away by corrections with the same factor, each of which costs the residuals once:

    θ ← θ − (Jᵀ J + λ τ 1)⁻¹ Jᵀ (r(θ) − (r + J v)),

so that r(θ) comes to what the linear model promised. Precision of the solve is no limit: a singular value decomposition
of J in place of the Cholesky factor of Jᵀ J gives the same losses to two digits. A step that does not lower the loss is
not taken: λ grows, and another is tried with the same J, which makes a trial cheap beside Jᵀ J. With fewer residuals
than parameters the same v is −Jᵀ (J Jᵀ + λ τ 1)⁻¹ r, with the smaller matrix.

Solvers for general least squares get J by one pass over all points for each of its rows or columns; here each row
belongs to one point, so that one reverse pass over the points gives all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.scipy.linalg import cho_factor, cho_solve

from dof.solving.devices import Devices
from dof.solving.objective import Objective
from dof.solving.sampling import Batch

ONE = Devices()
FIRST_DAMPING = 1e-3
"""λ of the first step, relative to the mean eigenvalue τ: between a gradient step (large λ) and a Newton step (0)."""
LEAST_DAMPING, MOST_DAMPING = 1e-14, 1e6
"""λ below the first is lost in the rounding of float64; above the second a step does not move θ any more."""
SHRINK, GROW = 1 / 3, 4.0
"""Factors of λ after a step that lowers the loss and after one that does not."""
MOST_TRIALS = 5
"""Values of λ that are tried with one Jacobian. Their factors span GROW⁴ = 256; more are needed only where the loss is
at the limit of rounding, and would be in vain."""
GRAM_BLOCKS = 4
"""Blocks of rows in which Jᵀ J is computed up to its diagonal, 10 / 16 of the products: 41 ms instead of 57 for 1500
residuals and 900 parameters on one core. With 8 blocks the products are too narrow, and nothing is gained."""
MOST_ACCELERATION = 0.75
"""The length of a relative to v beyond which a is shortened: the parabola is a series in v, whose next terms would
count then (Transtrum and Sethna recommend 0.75)."""
CORRECTIONS, CONTRACTION = 3, 0.5
"""Corrections of a step at most, and the length of one relative to the last (to ½ a for the first) from which on the
series is taken for one that does not converge. Residual on fresh points and error after 40 steps: poisson 2.0e-6 and
2.3e-7 without corrections, 7.6e-7 and 3.0e-8 with three of them; klein-gordon-3d 5.2e-5 and 1.0e-5, 2.5e-5 and 4.1e-6.
The time of a step grows by a tenth. With up to six the results are the same: no step asks for a fourth."""


def start(theta: Any) -> Any:
    """The damping λ before the first step."""
    return jnp.asarray(FIRST_DAMPING, theta.dtype)


def gauss_newton_steps(
    objective: Objective, theta: Any, damping: Any, batch: Batch, weights: Any, n: int, devices: Devices = ONE
) -> Any:
    """Take n steps from θ with damping λ.

    Args:
        objective: The residuals and their Jacobian.
        theta: The parameters, (P,).
        damping: λ.
        batch: The points of each term.
        weights: Of the terms, (terms,).
        n: How many steps.
        devices: Over which the points are divided.

    Returns:
        θ and λ after the steps, and the loss of each term after each step, (n, terms).
    """

    def step(carry: Any, _: Any) -> Any:
        theta, damping = carry
        last = damped_step(objective, theta, damping, batch, batch, weights, devices)
        return (last.theta, last.damping), last.losses

    (theta, damping), losses = jax.lax.scan(step, (theta, damping), length=n)
    return theta, damping, losses


class DampedStep(NamedTuple):
    """Where a step ends: θ, λ for the next one, and the loss of each term without its weight, (terms,)."""

    theta: Any
    damping: Any
    losses: Any


def damped_step(
    objective: Objective, theta: Any, damping: Any, fitted: Batch, judged: Batch, weights: Any, devices: Devices
) -> DampedStep:
    """One step, with J at some points, that lowers the loss at the same or at others.

    Args:
        objective: The residuals and their Jacobian.
        theta: The parameters, (P,).
        damping: λ of the first trial.
        fitted: The points of J.
        judged: The points at which the loss must become lower, and whose losses are returned.
        weights: Of the terms, (terms,).
        devices: Over which the points are divided.
    """
    values, jacobian = objective.residuals_and_jacobian(theta, fitted, weights)
    move = _moves(lambda theta: objective.residuals(theta, fitted, weights), theta, values, _solver(jacobian, devices))
    losses = lambda residuals: devices.mean(_losses(residuals))  # noqa: E731
    at = lambda theta: losses(objective.residuals(theta, judged, weights))  # noqa: E731
    last = _first_better(move, at, theta, losses(values) if judged is fitted else at(theta), damping)
    # The residuals have the factor √weight in them; what is reported is the mean square of each term without it.
    return DampedStep(last.theta, last.damping, last.losses / weights)


class _Trial(NamedTuple):
    """Where θ is after some trials with one Jacobian, the losses of the terms there, and λ for the next trial."""

    theta: Any
    losses: Any
    damping: Any
    better: Any
    count: Any


def _first_better(move: Callable[[Any], Any], losses: Any, theta: Any, before: Any, damping: Any) -> _Trial:
    """Try larger and larger λ until the loss is lower; θ stays where it is if MOST_TRIALS of them do not lower it."""

    def attempt(last: _Trial) -> _Trial:
        moved = move(last.damping)
        after = losses(moved)
        # False where the new loss is nan, as after a Cholesky factorisation that fails: that step is not taken either.
        better = jnp.sum(after) < jnp.sum(before)
        damping = jnp.clip(last.damping * jnp.where(better, SHRINK, GROW), LEAST_DAMPING, MOST_DAMPING)
        kept = jnp.where(better, moved, theta), jnp.where(better, after, before)
        return _Trial(*kept, damping, better, last.count + 1)

    start = _Trial(theta, before, damping, jnp.asarray(False), 0)
    return jax.lax.while_loop(lambda last: ~last.better & (last.count < MOST_TRIALS), attempt, start)


def _moves(residuals: Callable[[Any], Any], theta: Any, values: Any, solver: Any) -> Callable[[Any], Any]:
    """The function λ ↦ θ + v + ½ a, with a shortened where it is long beside v, and corrected."""

    def moved(damping: Any) -> Any:
        solve = solver(damping)
        r = jnp.concatenate(values)
        v = -solve(r)
        along = lambda f: lambda theta: jax.jvp(f, (theta,), (v,))[1]  # noqa: E731
        a = -solve(jnp.concatenate(along(along(residuals))(theta)))
        # Where a is zero (linear residuals) the quotient is infinite, and the minimum 1.
        bend = a / 2 * jnp.minimum(1.0, MOST_ACCELERATION * jnp.linalg.norm(v) / jnp.linalg.norm(a))
        aim = r + jnp.concatenate(along(residuals)(theta))
        return _corrected(lambda theta: solve(jnp.concatenate(residuals(theta)) - aim), theta + v + bend, bend)

    return moved


def _corrected(correction: Callable[[Any], Any], theta: Any, bend: Any) -> Any:
    """θ less correction(θ), again and again as long as each correction is shorter than CONTRACTION times the last."""

    def correct(carry: Any) -> Any:
        theta, length, _, count = carry
        change = correction(theta)
        new = jnp.linalg.norm(change)
        is_shorter = new < CONTRACTION * length
        return jnp.where(is_shorter, theta - change, theta), new, is_shorter, count + 1

    start = theta, jnp.linalg.norm(bend), jnp.asarray(True), 0
    return jax.lax.while_loop(lambda carry: carry[2] & (carry[3] < CORRECTIONS), correct, start)[0]


def _solver(jacobian: Any, devices: Devices = ONE) -> Callable[[Any], Callable[[Any], Any]]:
    """From λ to the function r ↦ (Jᵀ J + λ τ 1)⁻¹ Jᵀ r, by a Cholesky factor of the smaller one of Jᵀ J and J Jᵀ."""
    rows, columns = devices.count * jacobian.shape[0], jacobian.shape[1]
    is_wide = rows < columns
    # Products of rows are sums over columns: each device multiplies some columns of all rows.
    small = devices.mean(_gram(devices.own_columns(jacobian).T if is_wide else jacobian))
    # Both matrices have the same trace, so that τ and the step do not depend on which one is factored.
    tau = jnp.trace(small) / columns

    def solver(damping: Any) -> Callable[[Any], Any]:
        factor = cho_factor(small + damping * tau * jnp.eye(len(small), dtype=small.dtype), lower=True)
        if is_wide:
            return lambda r: devices.mean(jacobian.T @ devices.own_rows(cho_solve(factor, devices.all_rows(r))))
        return lambda r: cho_solve(factor, devices.mean(jacobian.T @ r))

    return solver


def _gram(matrix: Any) -> Any:
    """Mᵀ M, with zeros for most of what is above its diagonal: a Cholesky factorisation reads what is below."""
    ends = [matrix.shape[1] * k // GRAM_BLOCKS for k in range(GRAM_BLOCKS + 1)]
    blocks = [matrix[:, a:b].T @ matrix[:, :b] for a, b in pairwise(ends)]
    return jnp.concatenate([jnp.pad(block, ((0, 0), (0, ends[-1] - block.shape[1]))) for block in blocks])


def _losses(residuals: Sequence[Any]) -> Any:
    """The sum of squares of each term, (terms,)."""
    return jnp.stack([jnp.sum(part**2) for part in residuals])

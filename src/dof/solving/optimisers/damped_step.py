"""One Gauss–Newton step with damping: the trials with one Jacobian, their curvature, and which of them is taken.

The formulas are in `gauss_newton.py`; which trial is good enough to be taken is said by its caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dof.solving.devices import Devices
from dof.solving.loss.collocation_points import Batch
from dof.solving.loss.objective import Objective
from dof.solving.optimisers.damped_solver import damped_solver, least_damping

FIRST_DAMPING = 1e-3
"""λ of the first step, relative to the mean eigenvalue τ: between a gradient step (large λ) and a Newton step (0)."""
MOST_DAMPING = 1e6
"""λ above which a step does not move θ any more; the least is that of the solver."""
SHRINK, GROW = 1 / 5, 3.0
"""Factors of λ after a step that is taken and after one that is not. `wave`, seed 3, 80 steps without Adam, trials and
error: 1/5 and 2 201 and 1.6e-6, 1/3 and 2 163 and 1.5e-6, 1/5 and 3 154 and 2.4e-7, 1/10 and 3 215 and 2.8e-7.
Steps with some of the points, 8,577 parameters, 40 steps, 1/3 and 4, 1/5 and 3: `poisson` 1.0e-7 and 8.3e-8,
`klein-gordon` 6.6e-7 and 1.1e-8."""
MOST_TRIALS = 6
"""Values of λ that are tried with one Jacobian. Their factors span GROW⁵ = 243; more are needed only where the loss is
at the limit of rounding, and would be in vain."""
MOST_ACCELERATION = 0.75
"""The length of a relative to v beyond which a is shortened: the parabola is a series in v, whose next terms would
count then (Transtrum and Sethna recommend 0.75)."""
CORRECTIONS, CONTRACTION = 3, 0.5
"""Corrections of a step at most, and the length of one relative to the last (to ½ a for the first) from which on the
series is taken for one that does not converge. Residual on fresh points and error after 40 steps: poisson 2.0e-6 and
2.3e-7 without corrections, 7.6e-7 and 3.0e-8 with three of them; klein-gordon-3d 5.2e-5 and 1.0e-5, 2.5e-5 and 4.1e-6.
The time of a step grows by a tenth. With up to six the results are the same: no step asks for a fourth."""


class DampedStep(NamedTuple):
    """Where a step ends.

    Attributes:
        theta: The parameters; those before where no trial was taken.
        damping: λ for the next step.
        is_taken: Whether a trial was taken.
        losses: Of each term without its weight, (terms,).
        before: The loss before the step, with the weights.
    """

    theta: Any
    damping: Any
    is_taken: Any
    losses: Any
    before: Any


def damped_step(
    objective: Objective,
    theta: Any,
    damping: Any,
    fitted: Batch,
    judged: Batch,
    weights: Any,
    devices: Devices,
    is_good: Callable[[Any, Any, Any], Any],
) -> DampedStep:
    """One step, with J at some points, that is taken by the loss at the same or at others.

    Args:
        objective: The residuals and their Jacobian.
        theta: The parameters, (P,).
        damping: λ of the first trial.
        fitted: The points of J.
        judged: The points whose loss decides, and is returned.
        weights: Of the terms, (terms,).
        devices: Over which the points are divided.
        is_good: From a step, the loss before and the loss after it to whether it is taken; false where that is nan, as
            after a Cholesky factorisation that fails.
    """
    values, jacobian = objective.residuals_and_jacobian(theta, fitted, weights)
    solver = damped_solver(jacobian, damping, devices)
    move = _moves(lambda theta: objective.residuals(theta, fitted, weights), theta, values, solver)
    losses = lambda residuals: devices.mean(_losses(residuals))  # noqa: E731
    at = lambda theta: losses(objective.residuals(theta, judged, weights))  # noqa: E731
    before = losses(values) if judged is fitted else at(theta)
    start = _Trial(theta, before, damping, jnp.asarray(False), 0)
    found = _first_taken(move, at, start, is_good, least_damping(jacobian, devices))
    # The residuals have the factor √weight in them; what is reported is the mean square of each term without it.
    return DampedStep(found.theta, found.damping, found.is_taken, found.losses / weights, jnp.sum(before))


class _Trial(NamedTuple):
    """Where θ is after some trials with one Jacobian, the losses of the terms there, and λ for the next trial."""

    theta: Any
    losses: Any
    damping: Any
    is_taken: Any
    count: Any


def _first_taken(
    move: Callable[[Any], Any], losses: Callable[[Any], Any], start: _Trial, is_good: Any, least: float
) -> _Trial:
    """Try larger and larger λ until a step is taken; θ stays where it is if none of MOST_TRIALS is."""

    def attempt(trial: _Trial) -> _Trial:
        moved = move(trial.damping)
        after = losses(moved)
        is_taken = is_good(moved - start.theta, jnp.sum(start.losses), jnp.sum(after))
        damping = jnp.clip(trial.damping * jnp.where(is_taken, SHRINK, GROW), least, MOST_DAMPING)
        kept = jnp.where(is_taken, moved, start.theta), jnp.where(is_taken, after, start.losses)
        return _Trial(*kept, damping, is_taken, trial.count + 1)

    return jax.lax.while_loop(lambda trial: ~trial.is_taken & (trial.count < MOST_TRIALS), attempt, start)


def _moves(residuals: Callable[[Any], Any], theta: Any, values: Any, solver: Any) -> Callable[[Any], Any]:
    """The function λ ↦ θ + v + ½ a, with a shortened where it is long beside v, and corrected."""

    def moved(damping: Any) -> Any:
        solve = solver(damping)
        r = jnp.concatenate(values)
        v = -solve(r)
        slope = lambda theta: jax.jvp(residuals, (theta,), (v,))[1]  # noqa: E731
        first, second = jax.jvp(slope, (theta,), (v,))
        a = -solve(jnp.concatenate(second))
        # Where a is zero (linear residuals) the quotient is infinite, and the minimum 1.
        bend = a / 2 * jnp.minimum(1.0, MOST_ACCELERATION * jnp.linalg.norm(v) / jnp.linalg.norm(a))
        aim = r + jnp.concatenate(first)
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


def _losses(residuals: Sequence[Any]) -> Any:
    """The sum of squares of each term, (terms,)."""
    return jnp.stack([jnp.sum(part**2) for part in residuals])

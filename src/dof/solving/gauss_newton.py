"""Gauss–Newton steps with damping (Levenberg–Marquardt) and geodesic acceleration, for losses that are sums of squares.

    (Jᵀ J + λ τ 1) v = −Jᵀ r,      (Jᵀ J + λ τ 1) a = −Jᵀ ∂²r/∂v²,      θ ← θ + v + ½ a,      τ = trace(Jᵀ J) / P

with J the Jacobian of the residuals r in the P parameters θ. The second solve uses the Cholesky factor of the first,
and ∂²r/∂v², the second derivative of r along v, is one more forward pass: at little cost the step is a parabola that
follows the curvature of the residuals (Transtrum and Sethna 2012), and ends an order of magnitude lower or more. What
is left of the curvature is taken away by corrections with the same factor, each of which costs the residuals once:

    θ ← θ − (Jᵀ J + λ τ 1)⁻¹ Jᵀ (r(θ) − (r + J v)),

so that r(θ) comes to what the linear model promised. Precision of the solve is no limit: with a QR decomposition of J
in place of the Cholesky factor of Jᵀ J, and the same least λ, the loss after 40 steps is the same. A step that is not
taken makes λ grow, and another is tried with the same J, which makes a trial cheap beside Jᵀ J. With fewer residuals
than parameters the same v is −Jᵀ (J Jᵀ + λ τ 1)⁻¹ r, with the smaller matrix.

A step is taken if it lowers the loss, or if it raises it and goes on in the direction of the last one:

    (1 − cos(step, last step))² loss(θ + step) ≤ loss(θ)

(the bold criterion of Transtrum and Sethna 2012). The loss has narrow valleys that bend: with steps that must lower it,
λ stays so large that they creep along the ground, and to cut a bend over its slope is what makes them long.

Solvers for general least squares get J by one pass over all points for each of its rows or columns; here each row
belongs to one point, so that one reverse pass over the points gives all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dof.solving.damped_solver import damped_solver
from dof.solving.devices import Devices
from dof.solving.objective import Objective
from dof.solving.repeated_steps import repeated
from dof.solving.sampling import Batch

ONE = Devices()
FIRST_DAMPING = 1e-3
"""λ of the first step, relative to the mean eigenvalue τ: between a gradient step (large λ) and a Newton step (0)."""
LEAST_DAMPING, MOST_DAMPING = 1e-14, 1e6
"""λ below the first is lost in the rounding of float64; above the second a step does not move θ any more."""
SHRINK, GROW = 1 / 5, 3.0
"""Factors of λ after a step that is taken and after one that is not. `wave`, seed 3, 80 steps without Adam, trials and
error: 1/5 and 2 201 and 1.6e-6, 1/3 and 2 163 and 1.5e-6, 1/5 and 3 154 and 2.4e-7, 1/10 and 3 215 and 2.8e-7."""
MOST_RISE = 10.0
"""By how many times a step may raise the loss; no step of `wave` asked for more than 3. Loss and error with steps that
must lower it, and with these (1/3 and 4 in both), seeds 1 and 4: `wave`, 80 steps, 9.6e-5 and 5.0e-5, 3.1e-8 and
1.4e-6; `korteweg-de-vries`, 120 steps, 9.0e-10 and 1.3e-5, 1.6e-11 and 9.9e-7."""
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


class State(NamedTuple):
    """λ for the next step, and the last step that was taken, (P,)."""

    damping: Any
    last: Any


def start(theta: Any) -> State:
    """The state before the first step."""
    return State(jnp.asarray(FIRST_DAMPING, theta.dtype), jnp.zeros_like(theta))


def damped_no_more(state: Any, theta: Any) -> Any:
    """The state with a λ that is not larger than at the start.

    Steps that were refused at points which were fitted to the last digit leave a λ that no other points deserve.
    """
    return state._replace(damping=jnp.minimum(state.damping, start(theta).damping))


def gauss_newton_steps(
    objective: Objective,
    theta: Any,
    state: State,
    batch: Batch,
    weights: Any,
    n: Any,
    most: int,
    devices: Devices = ONE,
) -> Any:
    """Take n steps from θ.

    Args:
        objective: The residuals and their Jacobian.
        theta: The parameters, (P,).
        state: Before the first of them.
        batch: The points of each term.
        weights: Of the terms, (terms,).
        n: How many steps.
        most: How many there may be.
        devices: Over which the points are divided.

    Returns:
        θ and the state after the steps; the loss of each term after each step, (most, terms); and of all these θ that
        with the lowest loss, with its losses: the last may be on the slope of a valley.
    """

    def step(carry: Any, _: Any) -> Any:
        theta, state, lowest = carry
        found = damped_step(objective, theta, state, batch, batch, weights, devices, MOST_RISE)
        is_lower = found.losses @ weights < lowest[1] @ weights
        lowest = jax.tree.map(lambda new, old: jnp.where(is_lower, new, old), (found.theta, found.losses), lowest)
        return (found.theta, found.state, lowest), found.losses

    none = theta, jnp.full(len(batch), jnp.inf)
    (theta, state, lowest), losses = repeated(step, (theta, state, none), n, most)
    return theta, state, losses, lowest


class DampedStep(NamedTuple):
    """Where a step ends: θ, the state for the next one, and the loss of each term without its weight, (terms,)."""

    theta: Any
    state: State
    losses: Any


def damped_step(
    objective: Objective,
    theta: Any,
    state: State,
    fitted: Batch,
    judged: Batch,
    weights: Any,
    devices: Devices,
    rise: Any = 1.0,
) -> DampedStep:
    """One step, with J at some points, that is taken by the loss at the same or at others.

    Args:
        objective: The residuals and their Jacobian.
        theta: The parameters, (P,).
        state: λ of the first trial, and the last step.
        fitted: The points of J.
        judged: The points whose loss decides, and is returned.
        weights: Of the terms, (terms,).
        devices: Over which the points are divided.
        rise: By how many times the step may raise the loss if it goes on in the direction of the last one.
    """
    values, jacobian = objective.residuals_and_jacobian(theta, fitted, weights)
    solver = damped_solver(jacobian, devices)
    move = _moves(lambda theta: objective.residuals(theta, fitted, weights), theta, values, solver)
    losses = lambda residuals: devices.mean(_losses(residuals))  # noqa: E731
    at = lambda theta: losses(objective.residuals(theta, judged, weights))  # noqa: E731
    found = _first_taken(move, at, theta, losses(values) if judged is fitted else at(theta), state, rise)
    after = State(found.damping, jnp.where(found.is_taken, found.theta - theta, state.last))
    # The residuals have the factor √weight in them; what is reported is the mean square of each term without it.
    return DampedStep(found.theta, after, found.losses / weights)


class _Trial(NamedTuple):
    """Where θ is after some trials with one Jacobian, the losses of the terms there, and λ for the next trial."""

    theta: Any
    losses: Any
    damping: Any
    is_taken: Any
    count: Any


def _first_taken(move: Callable[[Any], Any], losses: Any, theta: Any, before: Any, state: State, rise: Any) -> _Trial:
    """Try larger and larger λ until a step is taken; θ stays where it is if none of MOST_TRIALS is."""

    def attempt(trial: _Trial) -> _Trial:
        moved = move(trial.damping)
        after = losses(moved)
        is_taken = _is_good(moved - theta, state.last, jnp.sum(before), jnp.sum(after), rise)
        damping = jnp.clip(trial.damping * jnp.where(is_taken, SHRINK, GROW), LEAST_DAMPING, MOST_DAMPING)
        kept = jnp.where(is_taken, moved, theta), jnp.where(is_taken, after, before)
        return _Trial(*kept, damping, is_taken, trial.count + 1)

    start = _Trial(theta, before, state.damping, jnp.asarray(False), 0)
    return jax.lax.while_loop(lambda trial: ~trial.is_taken & (trial.count < MOST_TRIALS), attempt, start)


def _is_good(step: Any, last: Any, before: Any, after: Any, rise: Any) -> Any:
    """Whether a step lowers the loss, or raises it no further than its direction and `rise` allow."""
    lengths = jnp.linalg.norm(step) * jnp.linalg.norm(last)
    # Before the first step there is no direction to go on in.
    cosine = jnp.where(lengths > 0, step @ last / jnp.where(lengths > 0, lengths, 1.0), 0.0)
    allowed = jnp.minimum(rise * before, before / (1 - cosine) ** 2)
    # All are false where the new loss is nan, as after a Cholesky factorisation that fails.
    return (after < before) | (rise > 1) & (cosine > 0) & (after <= allowed)


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

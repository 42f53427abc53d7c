"""Gauss–Newton steps with damping (Levenberg–Marquardt) and geodesic acceleration, for losses that are sums of squares.

    (Jᵀ J + λ τ 1) v = −Jᵀ r,      (Jᵀ J + λ τ 1) a = −Jᵀ ∂²r/∂v²,      θ ← θ + v + ½ a,      τ = trace(Jᵀ J) / P

with J the Jacobian of the residuals r in the P parameters θ. The second solve uses the Cholesky factor of the first,
and ∂²r/∂v², the second derivative of r along v, is one more forward pass: at little cost the step is a parabola that
follows the curvature of the residuals (Transtrum and Sethna 2012), and ends an order of magnitude lower or more. What
is left of the curvature is taken away by corrections with the same factor, each of which costs the residuals once:

    θ ← θ − (Jᵀ J + λ τ 1)⁻¹ Jᵀ (r(θ) − (r + J v)),

so that r(θ) comes to what the linear model promised. λ falls to where float64 ends, so that the precision of the
solve counts (`damped_solver.py`). A step that is not taken makes λ grow, and another is tried with the same J, which
makes a trial cheap beside Jᵀ J. With fewer residuals than parameters the same v is −Jᵀ (J Jᵀ + λ τ 1)⁻¹ r, with the
smaller matrix.

A step is taken if it lowers the loss, or if it raises it and goes on in the direction of the last one, with

    (1 − cos(step, last step))² loss(θ + step) ≤ loss(θ)      and      loss(θ + step) ≤ MOST_RISE · lowest loss so far,

the lowest since the points were drawn. This is a variant of the bold criterion of Transtrum and Sethna 2012, who put
the lowest loss so far on the right of the first. Here that is the loss before the step, so that some rises may follow
one another, and the second keeps them from multiplying. The loss has narrow valleys that bend: with steps that must
lower it, λ stays so large that they creep along the ground, and to cut a bend over its slope is what makes them long.

Solvers for general least squares get J by one pass over all points for each of its rows or columns; here each row
belongs to one point, so that one reverse pass over the points gives all of it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dof.solving.devices import ONE_DEVICE, Devices
from dof.solving.loss.collocation_points import Batch
from dof.solving.loss.objective import Objective
from dof.solving.optimisers.damped_step import FIRST_DAMPING, damped_step
from dof.solving.optimisers.repeated_steps import repeated

MOST_RISE = 10.0
"""How many times the lowest loss since the points were drawn a step that raises it may end with; no step of `wave`
asked for more than 3 times the loss before it. Loss and error with steps that must lower it, and with steps bound by
ten times the loss before them (1/3 and 4 in both), seeds 1 and 4: `wave`, 80 steps, 9.6e-5 and 5.0e-5, 3.1e-8 and
1.4e-6; `korteweg-de-vries`, 120 steps, 9.0e-10 and 1.3e-5, 1.6e-11 and 9.9e-7. Errors of the zoo's recipes with that
bound, and with the lowest loss: `wave`, seed 2 7.7e-7 and 2.9e-7, seed 3 1.4e-7 and 1.6e-7; `korteweg-de-vries`, seed 0
9.5e-7 and 8.8e-7, seed 1 6.2e-7 and 2.4e-7."""


class DampingAndLastStep(NamedTuple):
    """λ for the next step, and the last step that was taken, (P,)."""

    damping: Any
    last: Any


def start(theta: Any) -> DampingAndLastStep:
    """The state before the first step."""
    return DampingAndLastStep(jnp.asarray(FIRST_DAMPING, theta.dtype), jnp.zeros_like(theta))


def damped_no_more(state: Any) -> Any:
    """The state with a λ that is not larger than at the start.

    Steps that were refused at points which were fitted to the last digit leave a λ that no other points deserve.
    """
    return state._replace(damping=jnp.minimum(state.damping, FIRST_DAMPING))


def gauss_newton_steps(
    objective: Objective,
    theta: Any,
    state: DampingAndLastStep,
    batch: Batch,
    weights: Any,
    n: Any,
    most: int,
    devices: Devices = ONE_DEVICE,
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
        theta, state, reported, lowest = carry
        is_good = partial(_is_good, state.last, lowest)
        found = damped_step(objective, theta, state.damping, batch, batch, weights, devices, is_good)
        state = DampingAndLastStep(found.damping, jnp.where(found.is_taken, found.theta - theta, state.last))
        is_lower = found.losses @ weights < reported[1] @ weights
        reported = jax.tree.map(lambda new, old: jnp.where(is_lower, new, old), (found.theta, found.losses), reported)
        return (found.theta, state, reported, jnp.minimum(lowest, found.before)), found.losses

    # What is reported comes after a step; the lowest loss may be that before the first of them too.
    none = (theta, jnp.full(len(batch), jnp.inf)), jnp.full((), jnp.inf)
    (theta, state, reported, _), losses = repeated(step, (theta, state, *none), n, most)
    return theta, state, losses, reported


def _is_good(last: Any, lowest: Any, step: Any, before: Any, after: Any) -> Any:
    """Whether a step lowers the loss, or raises it no further than its direction and the lowest loss so far allow."""
    lengths = jnp.linalg.norm(step) * jnp.linalg.norm(last)
    # Before the first step there is no direction to go on in.
    cosine = jnp.where(lengths > 0, step @ last / jnp.where(lengths > 0, lengths, 1.0), 0.0)
    allowed = jnp.minimum(MOST_RISE * jnp.minimum(lowest, before), before / (1 - cosine) ** 2)
    # Both are false where the new loss is nan.
    return (after < before) | (cosine > 0) & (after <= allowed)

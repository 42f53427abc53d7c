"""Gauss–Newton steps for networks of many parameters, each with the Jacobian of some of the points only.

A step of `gauss_newton.py` takes about P³ operations for P parameters, as it needs more residuals than parameters. Here
it takes n² P: the n residuals of a step are fewer than the parameters, and the direction is

    v = −Jᵀ (J Jᵀ + λ τ 1)⁻¹ r

with the small matrix J Jᵀ, the neural tangent kernel of the residuals (minSR of wave-function codes, or natural
gradients by Woodbury's formula). Each step takes other points, a block of those of the equation, and the points of the
conditions. It is judged by the loss on the next block, whose points it has not seen: a step that fits its own points
and is wrong between them is not taken, and λ grows. Damping, trials and acceleration are those of `gauss_newton.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp

from dof.solving.devices import Devices
from dof.solving.loss.collocation_points import Batch
from dof.solving.loss.objective import Objective
from dof.solving.optimisers.damped_step import FIRST_DAMPING, damped_step
from dof.solving.optimisers.point_blocks import with_block
from dof.solving.optimisers.repeated_steps import steps_to_the_last


class DampingAndCount(NamedTuple):
    """λ for the next step, and how many steps were taken, which decides on its block."""

    damping: Any
    count: Any


def start(theta: Any) -> DampingAndCount:
    """The state before the first step."""
    return DampingAndCount(jnp.asarray(FIRST_DAMPING, theta.dtype), jnp.zeros((), int))


def stochastic_gauss_newton_steps(
    objective: Objective,
    theta: Any,
    state: DampingAndCount,
    batch: Batch,
    weights: Any,
    n: Any,
    most: int,
    blocks: int,
    devices: Devices,
) -> Any:
    """Take n steps from θ.

    Args:
        objective: The residuals and their Jacobian.
        theta: The parameters, (P,).
        state: Before the first of them.
        batch: The points of each term, those of the equation in blocks one after the other.
        weights: Of the terms, (terms,).
        n: How many steps.
        most: How many there may be.
        blocks: How many blocks there are, two or more.
        devices: Over which the points of each block are divided.

    Returns:
        θ and the state after the steps; the loss of each term after each step, (most, terms), on the points by which
        the step was judged; and the last θ with its losses.
    """

    def step(carry: Any, _: Any) -> Any:
        theta, (damping, count) = carry
        fitted, judged = (with_block(batch, count + k, blocks) for k in range(2))
        found = damped_step(objective, theta, damping, fitted, judged, weights, devices, _is_good)
        return (found.theta, DampingAndCount(found.damping, count + 1)), found.losses

    return steps_to_the_last(step, theta, state, n, most)


def _is_good(step: Any, before: Any, after: Any) -> Any:
    """Whether a step lowers the loss, which other points than its own judge: a rise has no meaning there."""
    return after < before

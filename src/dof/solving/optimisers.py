"""Adam and L-BFGS, by optax, Gauss–Newton, and which of them takes which step. All work on one vector θ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import optax

from dof.solving.gauss_newton import gauss_newton_steps
from dof.solving.gauss_newton import start as gauss_newton_start
from dof.solving.objective import Objective
from dof.solving.sampling import Batch
from dof.solving.settings import Settings


class Optimiser(NamedTuple):
    """An optimiser of an objective.

    Attributes:
        start: `start(θ)` is its state before the first step.
        run: `run(θ, state, batch, weights, n)` takes n steps and returns θ, state and losses (n, terms).
    """

    start: Callable[[Any], Any]
    run: Callable[[Any, Any, Batch, Any, int], tuple[Any, Any, Any]]


LBFGS_MEMORY = 20
"""Pairs of steps and changes of the gradient that L-BFGS keeps: its usual range is 10 to 30."""


def adam(objective: Objective, settings: Settings) -> Optimiser:
    """Adam, with a rate that goes down to zero along a cosine over all its steps."""
    # At least one step: optax refuses a schedule over none, and the rule is made even if Adam is not used.
    rule = optax.adam(optax.cosine_decay_schedule(settings.rate, max(settings.adam, 1)))

    def run(theta: Any, state: Any, batch: Batch, weights: Any, n: int) -> Any:
        def step(carry: Any, _: Any) -> Any:
            theta, state = carry
            losses, gradient = objective.losses_and_gradient(theta, batch, weights)
            change, state = rule.update(gradient, state, theta)
            return (optax.apply_updates(theta, change), state), losses

        (theta, state), losses = jax.lax.scan(step, (theta, state), length=n)
        return theta, state, losses

    return Optimiser(rule.init, run)


def lbfgs(objective: Objective, settings: Settings) -> Optimiser:
    """L-BFGS with a line search."""
    rule = optax.lbfgs(memory_size=LBFGS_MEMORY)

    def run(theta: Any, state: Any, batch: Batch, weights: Any, n: int) -> Any:
        def loss(theta: Any) -> Any:
            return objective.losses_and_gradient(theta, batch, weights)[0] @ weights

        def step(carry: Any, _: Any) -> Any:
            theta, state = carry
            losses, gradient = objective.losses_and_gradient(theta, batch, weights)
            # Not from the line search's state, which has them for other points when an interval has drawn new ones.
            value = losses @ weights
            change, state = rule.update(gradient, state, theta, value=value, grad=gradient, value_fn=loss)
            return (optax.apply_updates(theta, change), state), losses

        (theta, state), losses = jax.lax.scan(step, (theta, state), length=n)
        return theta, state, losses

    return Optimiser(rule.init, run)


def gauss_newton(objective: Objective, settings: Settings) -> Optimiser:
    """Gauss–Newton with damping and geodesic acceleration (`gauss_newton.py`)."""

    def run(theta: Any, state: Any, batch: Batch, weights: Any, n: int) -> Any:
        return gauss_newton_steps(objective, theta, state, batch, weights, n)

    return Optimiser(gauss_newton_start, run)


OPTIMISERS: dict[str, Callable[[Objective, Settings], Optimiser]] = {
    "adam": adam,
    "lbfgs": lbfgs,
    "gauss-newton": gauss_newton,
}


def phase_at(step: int, settings: Settings) -> tuple[str, int]:
    """Which optimiser takes the step after `step` steps, and after how many steps its phase ends."""
    return ("adam", settings.adam) if step < settings.adam else (settings.optimiser, settings.steps)

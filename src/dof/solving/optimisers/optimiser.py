"""Adam and L-BFGS, by optax, Gauss–Newton, and which of them takes which step. All work on one vector θ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import optax

from dof.solving.devices import Devices
from dof.solving.loss.collocation_points import Batch
from dof.solving.loss.objective import Objective
from dof.solving.optimisers.gauss_newton import damped_no_more, gauss_newton_steps
from dof.solving.optimisers.gauss_newton import start as gauss_newton_start
from dof.solving.optimisers.point_blocks import blocks_of, with_block
from dof.solving.optimisers.repeated_steps import steps_to_the_last
from dof.solving.optimisers.stochastic_gauss_newton import start as stochastic_gauss_newton_start
from dof.solving.optimisers.stochastic_gauss_newton import stochastic_gauss_newton_steps
from dof.solving.settings import Settings


class Optimiser(NamedTuple):
    """An optimiser of an objective.

    Attributes:
        start: `start(θ)` is its state before the first step.
        run: `run(θ, state, batch, weights, n)`, called on each device with its own points, takes n steps, at most as
            many as there are between two reports, and returns θ, state, losses (most, terms), and a pair: the θ that is
            reported, and its losses.
        with_other_points: `with_other_points(state, θ)` is the state for the first step with many points more.
        blocks: Into how many blocks, one after the other, it divides the points of the equation.
    """

    start: Callable[[Any], Any]
    run: Callable[[Any, Any, Batch, Any, Any], tuple[Any, Any, Any, tuple[Any, Any]]]
    with_other_points: Callable[[Any, Any], Any]
    blocks: int = 1


LBFGS_MEMORY = 20
"""Pairs of steps and changes of the gradient that L-BFGS keeps: its usual range is 10 to 30."""


def adam(objective: Objective, settings: Settings, devices: Devices) -> Optimiser:
    """Adam, with a rate that goes down to zero along a cosine over all its steps."""
    # At least one step: optax refuses a schedule over none, and the rule is made even if Adam is not used.
    rule = optax.adam(optax.cosine_decay_schedule(settings.rate, max(settings.adam, 1)))
    blocks = blocks_of(objective, settings)

    def run(theta: Any, state: Any, batch: Batch, weights: Any, n: Any) -> Any:
        def step(carry: Any, k: Any) -> Any:
            theta, state = carry
            losses, gradient = _losses_and_gradient(objective, devices, theta, with_block(batch, k, blocks), weights)
            change, state = rule.update(gradient, state, theta)
            return (optax.apply_updates(theta, change), state), losses

        return steps_to_the_last(step, theta, state, n, settings.longest_interval)

    return Optimiser(rule.init, run, lambda state, theta: rule.init(theta), blocks)


def lbfgs(objective: Objective, settings: Settings, devices: Devices) -> Optimiser:
    """L-BFGS with a line search."""
    rule = optax.lbfgs(memory_size=LBFGS_MEMORY)

    def run(theta: Any, state: Any, batch: Batch, weights: Any, n: Any) -> Any:
        def loss(theta: Any) -> Any:
            return _losses_and_gradient(objective, devices, theta, batch, weights)[0] @ weights

        def step(carry: Any, _: Any) -> Any:
            theta, state = carry
            losses, gradient = _losses_and_gradient(objective, devices, theta, batch, weights)
            # Not from the line search's state, which has them for other points when an interval has drawn new ones.
            value = losses @ weights
            change, state = rule.update(gradient, state, theta, value=value, grad=gradient, value_fn=loss)
            return (optax.apply_updates(theta, change), state), losses

        return steps_to_the_last(step, theta, state, n, settings.longest_interval)

    return Optimiser(rule.init, run, lambda state, theta: rule.init(theta))


def gauss_newton(objective: Objective, settings: Settings, devices: Devices) -> Optimiser:
    """Gauss–Newton with damping and geodesic acceleration (`gauss_newton.py`)."""

    def run(theta: Any, state: Any, batch: Batch, weights: Any, n: Any) -> Any:
        return gauss_newton_steps(objective, theta, state, batch, weights, n, settings.longest_interval, devices)

    return Optimiser(gauss_newton_start, run, lambda state, theta: damped_no_more(state))


def stochastic_gauss_newton(objective: Objective, settings: Settings, devices: Devices) -> Optimiser:
    """Gauss–Newton with some of the points in each step (`stochastic_gauss_newton.py`)."""
    blocks = blocks_of(objective, settings)

    def run(theta: Any, state: Any, batch: Batch, weights: Any, n: Any) -> Any:
        most = settings.longest_interval
        return stochastic_gauss_newton_steps(objective, theta, state, batch, weights, n, most, blocks, devices)

    return Optimiser(stochastic_gauss_newton_start, run, lambda state, theta: damped_no_more(state), blocks)


def _losses_and_gradient(objective: Objective, devices: Devices, theta: Any, batch: Batch, weights: Any) -> Any:
    """The losses of all terms and the gradient of their weighted sum, over the points of all devices."""
    return devices.mean(objective.losses_and_gradient(theta, batch, weights))


OPTIMISERS: dict[str, Callable[[Objective, Settings, Devices], Optimiser]] = {
    "adam": adam,
    "lbfgs": lbfgs,
    "gauss-newton": gauss_newton,
    "stochastic-gauss-newton": stochastic_gauss_newton,
}


def phase_at(step: int, settings: Settings) -> tuple[str, int]:
    """Which optimiser takes the step after `step` steps, and after how many steps its phase ends."""
    return ("adam", settings.adam) if step < settings.adam else (settings.optimiser, settings.steps)

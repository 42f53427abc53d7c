"""Training, interval by interval: each is one jitted call, from a state to the next, and a report of it."""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.problem import Problem
from dof.solving.blas_threads import one_blas_thread
from dof.solving.checks.diverged_training import require_convergent, require_finite_start
from dof.solving.checks.finite_fields import require_finite_fields
from dof.solving.checks.memory_check import (
    require_memory,
    require_room_for_hessians,
    require_room_for_network,
    require_room_for_points,
)
from dof.solving.checks.warnings_before_training import advice_on
from dof.solving.devices import Devices
from dof.solving.loss.collocation_points import Batch, counts_of
from dof.solving.loss.objective import Objective
from dof.solving.loss.residual_gradient import with_residual_gradient
from dof.solving.measuring.early_stopping import Progress, interval_length, is_enough
from dof.solving.measuring.evaluation import Evaluation
from dof.solving.measuring.training_report import Report
from dof.solving.networks import Network
from dof.solving.optimisers.optimiser import OPTIMISERS, Optimiser, phase_at
from dof.solving.points_of_interval import IntervalPoints
from dof.solving.settings import Settings
from dof.solving.shares_of_points import shares, with_factors

KEPT_WEIGHT = 0.5
"""Share of the terms' weights that stays from one interval to the next: the noise of new points averages out."""


class TrainingState(NamedTuple):
    """All that the next interval depends on.

    Attributes:
        step: How many steps have been taken.
        theta: The vector of all that is trained.
        optimiser: The state of the optimiser that takes the next step.
        weights: Of the terms of the loss, (terms,).
        first_loss: Of the first step, from which growth is measured.
        progress: The best state so far, and what decides on the next interval.
    """

    step: int
    theta: Any
    optimiser: Any
    weights: Any
    first_loss: float
    progress: Progress


class Training:
    """A problem, a network and settings, with everything that is compiled for them."""

    def __init__(
        self, problem: Problem, network: Network, settings: Settings, devices: Devices, is_window: bool = False
    ) -> None:
        began = time.perf_counter()
        if settings.method == "hessian":
            require_room_for_hessians(problem)
        require_room_for_network(network, settings)
        self.problem, self.devices = problem, devices
        self.objective = Objective(problem, network, settings.method, settings.seed)
        fitted = with_residual_gradient(self.objective, settings.residual_gradient)
        settings = settings.chosen_for(self.objective.start.size, fitted.components(0))
        devices.require_able(settings.optimiser)
        self.settings, self.evaluation = settings, Evaluation(problem, self.objective, settings, devices)
        self.counts = counts_of(self.objective.terms, settings.points or 0, settings.edge_points)
        require_room_for_points(max(sum(self.counts), settings.error_points), problem.domain.size)
        self.points = IntervalPoints(problem, self.objective, settings, devices, self.counts)
        divided = with_factors(fitted, devices)
        self.optimisers = {name: make(divided, settings, devices) for name, make in OPTIMISERS.items()}
        self._fitted, self._is_window = fitted, is_window
        self._compiled_steps: dict[tuple[Any, ...], Any] = {}
        if settings.windows > 1 and not is_window:
            self.evaluation.require_reference()  # over all of time: in one of the windows it may be zero
        self.seconds_to_prepare = time.perf_counter() - began

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What speaks against good results, in sentences."""
        return advice_on(self.objective, self._fitted, self.counts, self.settings, self._is_window)

    def start(self) -> TrainingState:
        """The state before the first step."""
        theta = self.devices.from_first(self.objective.start)
        name, _ = phase_at(0, self.settings)
        optimiser = self.optimisers[name].start(theta)
        return TrainingState(0, theta, optimiser, self._by_hand, float("inf"), Progress(theta))

    def like(self, step: int) -> TrainingState:
        """A state with the tree structure of the one after so many steps, to read a checkpoint into."""
        return self.start()._replace(optimiser=self._optimiser_after(step).start(self.objective.start))

    def advance(self, state: TrainingState, last: Report | None = None) -> tuple[TrainingState, Report]:
        """One interval of training.

        Args:
            state: The state to start from.
            last: The report of the interval that led to it, to whose times those of this one are added.

        Raises:
            Diverged: If a loss is no number or has grown too large.
        """
        entered = time.perf_counter()
        if state.step == 0 and not self._is_window:
            self.evaluation.require_reference()
        name, end = phase_at(state.step, self.settings)
        n = min(interval_length(self.settings, state.progress), end - state.step)
        # Points before weights, since the weights balance the terms at these points.
        batch = self.points.in_causal_order(state.theta, self.batch(state))
        if state.step == 0:
            require_finite_fields(self.objective, np.asarray(batch[0][0]))
        weights = self._weights(state, batch)
        blocks = self.optimisers[name].blocks
        shared = state.theta, state.optimiser, weights, jnp.asarray(n)
        arrays = self.devices.placed(shared, shares(batch, self.devices, blocks))
        steps = self._compiled(name, arrays)
        # Compiled before the clock starts: `seconds` are without compilation, sampling and the error.
        began = time.perf_counter()
        with one_blas_thread():
            found = jax.block_until_ready(steps(*arrays))
        took = time.perf_counter() - began
        theta, optimiser, losses, (reported, its_losses) = self.devices.here(found)
        first = self._first_loss(state, np.asarray(losses)[:n], np.asarray(weights))
        after = self._next(state.step + n, name, theta, optimiser)
        new = TrainingState(state.step + n, theta, after, weights, first, state.progress)
        measured = self.evaluation.measured(reported, np.asarray(its_losses), np.asarray(weights))
        times = self._times(n, took, len(batch[0][0]) // blocks, entered, last)
        report = Report(step=new.step, phase=name, **times, **measured)
        progress = state.progress.after(report, reported, is_last=end == self.settings.steps)
        if progress.has_parted and not state.progress.has_parted:
            new = new._replace(optimiser=self._optimiser_after(new.step).with_other_points(new.optimiser, theta))
        return new._replace(progress=progress), report

    def _times(self, n: int, took: float, points: int, entered: float, last: Report | None) -> dict[str, float]:
        """The times of a report on n steps, each with so many points of the equation, since `entered`."""
        return {
            "seconds": took + (last.seconds if last else 0.0),
            "seconds_per_step": took / n,
            "points_per_second": (points + sum(self.counts[1:])) * n / took,
            "total_seconds": time.perf_counter() - entered + (last.total_seconds if last else self.seconds_to_prepare),
        }

    def is_done(self, state: TrainingState) -> bool:
        """Whether all steps are taken, the tolerance is reached, or the patience is at its end."""
        return state.step >= self.settings.steps or is_enough(self.settings, state.progress)

    def batch(self, state: TrainingState) -> Batch:
        """The points of the interval that begins with a state."""
        return self.points.batch(state.step, state.theta, state.progress.has_parted)

    def _weights(self, state: TrainingState, batch: Batch) -> Any:
        if not self.settings.balance or len(self.counts) == 1:
            return state.weights
        found = self.devices.from_first(self._balanced(state.theta, batch) * self._by_hand)
        # The weights of the start are ones, of no meaning: nothing of them is kept.
        return found if state.step == 0 else KEPT_WEIGHT * state.weights + (1 - KEPT_WEIGHT) * found

    @cached_property
    def _by_hand(self) -> Any:
        """The factors of the terms that the user chose."""
        return jnp.array([term.weight for term in self.objective.terms])

    @cached_property
    def _balanced(self) -> Any:
        return jax.jit(self.objective.balanced)

    def _compiled(self, name: str, arrays: tuple[Any, Any]) -> Any:
        """The compiled function that takes steps of an optimiser, compiled once for each number of points."""

        def run(shared: Any, batch: Batch) -> Any:
            theta, state, weights, n = shared
            return self.optimisers[name].run(theta, state, batch, weights, n)

        # Compiled ahead of the first call, so that the memory is known before it is taken.
        key = name, *(leaf.shape for leaf in jax.tree.leaves(arrays[-1]))
        if key not in self._compiled_steps:
            self._compiled_steps[key] = self.devices.program(run).lower(*arrays).compile()
            require_memory(self._compiled_steps[key])
        return self._compiled_steps[key]

    def _optimiser_after(self, step: int) -> Optimiser:
        """The optimiser whose state there is after so many steps."""
        # After the last step the state is still that of the optimiser which took it (see `_next`).
        return self.optimisers[phase_at(min(step, self.settings.steps - 1), self.settings)[0]]

    def _next(self, step: int, name: str, theta: Any, optimiser: Any) -> Any:
        """The state of the optimiser that takes the next step, which may be another one."""
        after, _ = phase_at(step, self.settings)
        return optimiser if after == name or step == self.settings.steps else self.optimisers[after].start(theta)

    def _first_loss(self, state: TrainingState, losses: np.ndarray, weights: np.ndarray) -> float:
        # The start has an infinite one. min with nan keeps it; the loss that is nan is refused below.
        first = min(state.first_loss, losses[0] @ weights) if state.step == 0 else state.first_loss
        if state.step == 0 and not np.isfinite(losses).all():
            self._require_finite_start(state)
        require_convergent(losses, weights, first, state.step, [term.name for term in self.objective.terms])
        return float(first)

    def _require_finite_start(self, state: TrainingState) -> None:
        names, batch = self.problem.equation.coordinates.each, self.batch(state)
        for k, (term, arrays) in enumerate(zip(self.objective.terms, batch, strict=True)):
            require_finite_start(self.points.squares(k, state.theta, arrays), np.asarray(arrays[0]), names, term.name)

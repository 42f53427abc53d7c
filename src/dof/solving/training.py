"""Training, interval by interval: each is one jitted call, from a state to the next, and a report of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import DofError
from dof.pde.problem import Problem
from dof.solving.networks import Network
from dof.solving.objective import Objective
from dof.solving.optimisers import OPTIMISERS, phase_at
from dof.solving.sampling import Batch, counts_of, sample, test_points
from dof.solving.settings import Settings

KEPT = 0.5
"""Of the weights of the terms, from one interval to the next."""
TOO_LARGE = 1e8
"""A loss that has grown so many times has diverged."""


class State(NamedTuple):
    """All that the next interval depends on."""

    step: int
    theta: Any
    optimiser: Any
    weights: Any
    first_loss: float


@dataclass(frozen=True)
class Report:
    """After an interval. seconds: of training so far, without compilation of the first step of each kind."""

    step: int
    phase: str
    loss: float
    losses: dict[str, float]
    error: float | None
    unknowns: dict[str, Any]
    seconds: float
    points_per_second: float


class Diverged(DofError):
    """The loss is no longer a number, or has grown without bound."""


class Training:
    def __init__(self, problem: Problem, network: Network, settings: Settings) -> None:
        self.problem, self.settings = problem, settings
        self.objective = Objective(problem, network, settings.method, settings.seed)
        self.counts = counts_of(self.objective.terms, settings.points, settings.edge_points)
        self.optimisers = {name: make(self.objective, settings) for name, make in OPTIMISERS.items()}
        self._runs: dict[Any, Any] = {}

    def start(self) -> State:
        theta = self.objective.start
        name, _ = phase_at(0, self.settings)
        weights = jnp.ones(len(self.counts))
        return State(0, theta, self.optimisers[name].start(theta), weights, float("inf"))

    def advance(self, state: State, seconds: float = 0.0) -> tuple[State, Report]:
        """One interval on from a state, which took so many seconds to reach."""
        name, end = phase_at(state.step, self.settings)
        n = min(self.settings.report, end - state.step)
        batch = self.batch(state.step)
        weights = self._weights(state, batch)
        run = self._compiled(name, n, state, batch, weights)
        began = time.perf_counter()
        theta, optimiser, losses = jax.block_until_ready(run(state.theta, state.optimiser, batch, weights))
        took = time.perf_counter() - began
        first = self._require_good(state, np.asarray(losses), np.asarray(weights))
        new = State(state.step + n, theta, self._next(state.step + n, name, theta, optimiser), weights, first)
        return new, self._report(new, name, np.asarray(losses)[-1], seconds + took, n / took)

    def batch(self, step: int) -> Batch:
        """The points of the interval that begins with this step."""
        number = step if self.settings.resample else 0
        return sample(self.objective.terms, self.counts, self.settings.seed, number)

    def _weights(self, state: State, batch: Batch) -> Any:
        if not self.settings.balance or len(self.counts) == 1:
            return state.weights
        found = self._balanced(state.theta, batch)
        return found if state.step == 0 else KEPT * state.weights + (1 - KEPT) * found

    @cached_property
    def _balanced(self) -> Any:
        return jax.jit(self.objective.balanced)

    def _compiled(self, name: str, n: int, *args: Any) -> Any:
        state, batch, weights = args
        if (name, n) not in self._runs:
            run = jax.jit(partial(self.optimisers[name].run, n=n))
            self._runs[name, n] = run.lower(state.theta, state.optimiser, batch, weights).compile()
        return self._runs[name, n]

    def _next(self, step: int, name: str, theta: Any, optimiser: Any) -> Any:
        """The state of the optimiser that comes next, which may be another one."""
        after, _ = phase_at(step, self.settings)
        return optimiser if after == name or step == self.settings.steps else self.optimisers[after].start(theta)

    def _require_good(self, state: State, losses: np.ndarray, weights: np.ndarray) -> float:
        """The loss that growth is measured from: the one of the first step."""
        totals = losses @ weights
        first = min(state.first_loss, totals[0]) if state.step == 0 else state.first_loss
        bad = np.flatnonzero(~np.isfinite(totals) | (totals > TOO_LARGE * max(first, 1.0)))
        if len(bad):
            of_term = losses[bad[0]]
            worst = int(np.argmax(np.where(np.isfinite(of_term), of_term, np.inf)))
            term = self.objective.terms[worst].name
            raise Diverged(
                f"The loss of the term `{term}` is {of_term[worst]:.3g} at step {state.step + int(bad[0]) + 1}. "
                f"The state of step {state.step} is kept. A smaller `rate`, or more `points`, may help."
            )
        return float(first)

    def _report(self, state: State, name: str, losses: np.ndarray, seconds: float, steps_per_second: float) -> Report:
        names = [term.name for term in self.objective.terms]
        unknowns = {k: np.asarray(v).tolist() for k, v in self.objective.unknowns(state.theta).items()}
        return Report(
            step=state.step,
            phase=name,
            loss=float(losses @ np.asarray(state.weights)),
            losses=dict(zip(names, losses.tolist(), strict=True)),
            error=self.error(state.theta),
            unknowns=unknowns,
            seconds=seconds,
            points_per_second=steps_per_second * sum(self.counts),
        )

    def error(self, theta: Any) -> float | None:
        """|u − reference| / |reference|, over points of the domain."""
        return None if self.problem.reference is None else float(self._error(theta))

    @cached_property
    def _error(self) -> Any:
        points = test_points(self.problem.domain, self.settings.error_points, self.settings.seed)
        exact = jax.jit(jax.vmap(self.problem.exact))(points)
        u = lambda theta: jax.vmap(self.objective.u(theta))(points)  # noqa: E731
        return jax.jit(lambda theta: jnp.linalg.norm(u(theta) - exact) / jnp.linalg.norm(exact))

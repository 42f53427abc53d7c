"""Training, interval by interval: each is one jitted call, from a state to the next, and a report of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from threadpoolctl import threadpool_limits

import dof
from dof.errors import Diverged
from dof.pde.problem import Problem
from dof.solving.memory_check import require_memory, require_room_for_hessians
from dof.solving.networks import Network
from dof.solving.objective import Objective
from dof.solving.optimisers import OPTIMISERS, phase_at
from dof.solving.sampling import Batch, counts_of, crowded, points_for_error, sample
from dof.solving.settings import Settings

KEPT = 0.5
"""Of the weights of the terms, from one interval to the next."""
CANDIDATES = 4
"""For each point, where points are chosen by the residual."""
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
    """After an interval of training.

    loss, losses: Σ w_k losses_k over the terms, and each of them.
    error: relative, against the reference, if there is one.
    seconds: of training so far, without compilation.

    >>> import dof
    >>> show = lambda report: print(report.step, report.phase, list(report.losses), report.error > 0)
    >>> solution = dof.solve("poisson", on_report=show, adam=4, newton=0, depth=1, report=2)
    2 adam ['equation'] True
    4 adam ['equation'] True
    """

    step: int
    phase: str
    loss: float
    losses: dict[str, float]
    error: float | None
    unknowns: dict[str, Any]
    seconds: float
    seconds_per_step: float
    points_per_second: float


class Training:
    def __init__(self, problem: Problem, network: Network, settings: Settings) -> None:
        if settings.method == "hessian":
            require_room_for_hessians(problem)
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

    def like(self, step: int) -> State:
        """The structure of the state after so many steps."""
        name, _ = phase_at(min(step, self.settings.steps - 1), self.settings)
        return self.start()._replace(optimiser=self.optimisers[name].start(self.objective.start))

    def advance(self, state: State, seconds: float = 0.0) -> tuple[State, Report]:
        """One interval on from a state, which took so many seconds to reach."""
        name, end = phase_at(state.step, self.settings)
        n = min(self.settings.report, end - state.step)
        batch = self.batch(state)
        weights = self._weights(state, batch)
        run = self._compiled(name, n, state, batch, weights)
        began = time.perf_counter()
        # LAPACK's threads wait for each other in loops: beside other programs two are forty times as slow as one.
        with threadpool_limits(1, user_api="blas"):
            theta, optimiser, losses = jax.block_until_ready(run(state.theta, state.optimiser, batch, weights))
        took = time.perf_counter() - began
        first = self._require_good(state, np.asarray(losses), np.asarray(weights))
        new = State(state.step + n, theta, self._next(state.step + n, name, theta, optimiser), weights, first)
        return new, self._report(new, name, np.asarray(losses)[-1], seconds + took, took / n)

    def batch(self, state: State) -> Batch:
        """The points of the interval that begins with a state."""
        settings, number = self.settings, state.step if self.settings.resample else 0
        if not (settings.adaptive and settings.resample):
            return sample(self.objective.terms, self.counts, settings.seed, number)
        n = self.counts[0]
        many = sample(self.objective.terms, (CANDIDATES * n, *self.counts[1:]), settings.seed, number)
        sizes = np.asarray(self._sizes(state.theta, many[0]))
        return (crowded(many[0], sizes, n, (settings.seed, number)), *many[1:])

    @cached_property
    def _sizes(self) -> Any:
        """|r|² of the equation at each point."""
        at = lambda theta, *z: jnp.sum(self.objective.residual(0, theta, z) ** 2)  # noqa: E731
        return jax.jit(lambda theta, arrays: dof.batched(partial(at, theta))(*arrays))

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
            run = jax.jit(self.optimisers[name].run, static_argnums=4)
            self._runs[name, n] = run.lower(state.theta, state.optimiser, batch, weights, n).compile()
            require_memory(self._runs[name, n])
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
                "A smaller `rate`, or more `points`, may help."
            )
        return float(first)

    def _report(self, state: State, name: str, losses: np.ndarray, seconds: float, per_step: float) -> Report:
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
            seconds_per_step=per_step,
            points_per_second=sum(self.counts) / per_step,
        )

    def error(self, theta: Any) -> float | None:
        """|u − reference| / |reference|, over points of the domain."""
        return None if self.problem.reference is None else float(self._error(theta))

    @cached_property
    def _error(self) -> Any:
        points = points_for_error(self.problem.domain, self.settings.error_points, self.settings.seed)
        exact = jax.jit(jax.vmap(self.problem.exact))(points)
        u = lambda theta: jax.vmap(self.objective.u(theta))(points)  # noqa: E731
        return jax.jit(lambda theta: jnp.linalg.norm(u(theta) - exact) / jnp.linalg.norm(exact))

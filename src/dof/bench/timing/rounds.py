"""The timing loop: the methods of a case take turns in rounds, so that a slow moment of the machine meets them all."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dof import machine_info
from dof.bench.cases.case import Case
from dof.bench.methods.method_table import METHODS
from dof.bench.methods.reference import deviation
from dof.bench.results.outcomes import CaseResult, Outcome
from dof.bench.timing.timed_program import MATMUL_SHAPE
from dof.bench.timing.worker import Job
from dof.bench.timing.worker_process import Failure, WorkerProcess

OnStep = Callable[[str], None]
"""Is told what is being done."""

REFERENCE = "reference"
"""The name of the process that computes the reference, beside those of the methods."""
MEMORY_SHARE = 0.7
"""Part of the free memory that one process may take; the rest is for the others, which are idle meanwhile."""
LEAST_BUILD, LEAST_RUN = 20.0, 2.0
"""Seconds that a method always gets, so that a case with little time left still finds figures and not only failures."""
PATIENCE = 120.0
"""Seconds for what is no method: long enough on any machine, and nothing waits forever."""


@dataclass(frozen=True)
class Limits:
    """The number of rounds, and the seconds that a method may take to be built and for one run."""

    rounds: int = 7
    build: float = 120.0
    run: float = 60.0

    def within(self, seconds: float) -> Limits:
        """Limits for a case that has so many seconds: one method may not take most of them."""
        build, run = max(LEAST_BUILD, seconds / 2), max(LEAST_RUN, seconds / self.rounds)
        return Limits(self.rounds, min(self.build, build), min(self.run, run))


class MatmulRate:
    """The rate of matrix products, measured in every round: what the machine can do at that moment.

    Attributes:
        rates: in flops per second, one for each round of each case.
        device: the name of JAX's device.
    """

    def __init__(self) -> None:
        """Start the process that measures."""
        self._worker = WorkerProcess(Job("", "", 0, 0, machine_info.free_bytes()))
        self._worker.ask("matmul", seconds=PATIENCE)
        self.rates: list[float] = []
        self.device = self._worker.ask("device", seconds=PATIENCE)

    def measure(self) -> None:
        """Add a rate."""
        rows, inner, columns = MATMUL_SHAPE
        seconds = self._worker.ask("run", seconds=PATIENCE)
        if not isinstance(seconds, Failure):
            self.rates.append(2 * rows * inner * columns / seconds)

    def flops_of_a_point(self, case: str) -> Any:
        """Flops of the Hessian at one point, which say how much work a case is; or a `Failure`."""
        return self._worker.ask("flops", case, seconds=PATIENCE)

    def stop(self) -> None:
        """End the process."""
        self._worker.stop()


def run_case(
    case: Case, methods: Sequence[str], points: int, seed: int, limits: Limits, matmul: MatmulRate, on_step: OnStep
) -> CaseResult:
    """Build every method in a process of its own, compare its result with the reference, and time it in rounds."""
    memory = int(MEMORY_SHARE * machine_info.free_bytes())
    workers = {name: WorkerProcess(Job(case.name, name, points, seed, memory)) for name in (REFERENCE, *methods)}
    try:
        on_step("reference")
        reference = workers[REFERENCE].ask("reference", seconds=PATIENCE)
        # Ended before anything is built or timed: its memory, in float64, is free again.
        workers[REFERENCE].stop()
        outcomes = {}
        for name in methods:
            on_step(f"build {name}")
            outcomes[name] = _outcome(case, name, workers[name].ask("build", seconds=limits.build), reference)
        _take_turns(workers, outcomes, limits, matmul, on_step)
    finally:
        for worker in workers.values():
            worker.stop()
    return CaseResult(case.name, case.title, points, outcomes)


def _outcome(case: Case, name: str, answer: Any, reference: Any) -> Outcome:
    """What building a method gave. A result that is wrong is a failure, and is not timed."""
    if isinstance(answer, Failure):
        return Outcome(name, failure=answer.reason)
    if isinstance(reference, Failure):
        return Outcome(name, failure=f"not timed, because the reference is not known: {reference.reason}")
    found, exact = deviation(answer["result"], reference), METHODS[name].exact
    # `not <=` instead of `>`: a deviation that is nan is wrong too.
    failure = f"wrong by {found:.1e}" if exact and not found <= case.tolerance else None
    keys = ("tracing", "compiling", "temporary", "peak", "flops", "option")
    return Outcome(name, failure, deviation=found, exact=exact, **{key: answer[key] for key in keys})


def _take_turns(
    workers: dict[str, WorkerProcess], outcomes: dict[str, Outcome], limits: Limits, matmul: MatmulRate, on_step: OnStep
) -> None:
    """Time each method once in every round, in random order."""
    for turn in range(limits.rounds):
        on_step(f"round {turn + 1} of {limits.rounds}")
        matmul.measure()
        # Asked anew in each round: a method that has failed in one is gone.
        running = [name for name, outcome in outcomes.items() if outcome.failure is None]
        for name in random.sample(running, len(running)):
            seconds = workers[name].ask("run", seconds=limits.run)
            if isinstance(seconds, Failure):
                # Times of earlier rounds are dropped: a failure has none.
                outcomes[name].failure, outcomes[name].seconds = seconds.reason, []
            else:
                outcomes[name].seconds.append(seconds)

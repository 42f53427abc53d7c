"""The methods of a case take turns, each in a process of its own, and their results are compared with the truth."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dof import system
from dof.bench.cases.case_table import Case
from dof.bench.methods.method_table import METHODS
from dof.bench.methods.reference import TOLERANCE, deviation
from dof.bench.results.outcomes import CaseResult, Outcome
from dof.bench.timing.worker import RULER, Job
from dof.bench.timing.worker_process import Failure, Worker

Report = Callable[[str], None]
TRUTH = "truth"
"""The name of a worker that is no method."""

MEMORY_SHARE = 0.7
"""Of the memory that is free, what one process may take."""


@dataclass(frozen=True)
class Limits:
    """rounds: runs of every method. build, run: the seconds that a method may take for each."""

    rounds: int = 7
    build: float = 120.0
    run: float = 60.0

    def within(self, seconds: float) -> Limits:
        """For a case that has so many seconds: a method that takes most of them for itself is too slow."""
        build, run = max(LEAST_BUILD, seconds / 2), max(LEAST_RUN, seconds / self.rounds)
        return Limits(self.rounds, min(self.build, build), min(self.run, run))


LEAST_BUILD, LEAST_RUN = 20.0, 2.0
PATIENCE = 120.0
"""Seconds for what should be done at once."""


class Ruler:
    """A matrix product that is run in every round: what this machine can do at that moment."""

    def __init__(self) -> None:
        self._worker = Worker(Job("", "", 0, 0, system.free_bytes()))
        self._worker.ask("ruler", seconds=PATIENCE)
        self.rates: list[float] = []
        self.device = self._worker.ask("device", seconds=PATIENCE)

    def measure(self) -> None:
        rows, inner, columns = RULER
        seconds = self._worker.ask("run", seconds=PATIENCE)
        if not isinstance(seconds, Failure):
            self.rates.append(2 * rows * inner * columns / seconds)

    def flops_of_a_point(self, case: str) -> Any:
        """By the Hessian, as a measure of how much work a case is; or a `Failure`."""
        return self._worker.ask("flops", case, seconds=PATIENCE)

    def stop(self) -> None:
        self._worker.stop()


def run_case(
    case: Case, methods: Sequence[str], points: int, seed: int, limits: Limits, ruler: Ruler, report: Report
) -> CaseResult:
    memory = int(MEMORY_SHARE * system.free_bytes())
    workers = {name: Worker(Job(case.name, name, points, seed, memory)) for name in (TRUTH, *methods)}
    try:
        report("truth")
        truth = workers[TRUTH].ask("truth", seconds=PATIENCE)
        workers[TRUTH].stop()
        outcomes = {}
        for name in methods:
            report(f"build {name}")
            outcomes[name] = _outcome(name, workers[name].ask("build", seconds=limits.build), truth)
        _take_turns(workers, outcomes, limits, ruler, report)
    finally:
        for worker in workers.values():
            worker.stop()
    return CaseResult(case.name, case.title, points, outcomes)


def _outcome(name: str, answer: Any, truth: Any) -> Outcome:
    if isinstance(answer, Failure):
        return Outcome(name, failure=answer.reason)
    if isinstance(truth, Failure):
        return Outcome(name, failure=f"not timed, because the truth is not known: {truth.reason}")
    found, exact = deviation(answer["result"], truth), METHODS[name].exact
    failure = f"wrong by {found:.1e}" if exact and not found <= TOLERANCE else None
    keys = ("tracing", "compiling", "temporary", "peak", "flops", "option")
    return Outcome(name, failure, deviation=found, exact=exact, **{key: answer[key] for key in keys})


def _take_turns(
    workers: dict[str, Worker], outcomes: dict[str, Outcome], limits: Limits, ruler: Ruler, report: Report
) -> None:
    for turn in range(limits.rounds):
        report(f"round {turn + 1} of {limits.rounds}")
        ruler.measure()
        racing = [name for name, outcome in outcomes.items() if outcome.failure is None]
        for name in random.sample(racing, len(racing)):
            seconds = workers[name].ask("run", seconds=limits.run)
            if isinstance(seconds, Failure):
                outcomes[name].failure, outcomes[name].seconds = seconds.reason, []
            else:
                outcomes[name].seconds.append(seconds)

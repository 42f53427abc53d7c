"""All problems of the zoo, solved; and how long a step takes beside one with full Hessians."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dof.errors import NotEnoughMemoryError
from dof.runs.hessian_race import race
from dof.runs.report_files import write_report
from dof.runs.training_run import begin, train
from dof.solving import Report
from dof.solving.settings import settings_of
from dof.zoo import problem_named

RACED = 30
"""Steps of each phase, in three intervals: enough to compare their time."""
HESSIANS = 2000
"""Beyond so many coordinates a step with full Hessians takes minutes, if it fits into the memory."""


@dataclass(frozen=True)
class Entry:
    """hessian, dof: seconds of a step in the race; None where Hessians are out of the question."""

    name: str
    coordinates: str
    error: float | None
    unknowns: dict[str, Any]
    truth: dict[str, Any]
    steps: int
    seconds: float
    parameters: int
    plan: str
    dof: float | None
    hessian: float | None

    @property
    def ratio(self) -> float | None:
        return self.hessian / self.dof if self.hessian and self.dof else None


def entry(name: str, out: Path, on_report: Callable[[Report], Any]) -> Entry:
    shutil.rmtree(out / name, ignore_errors=True)  # of a run before
    run = train(begin(name, {}, out / name), on_report)
    write_report(run)
    summary, problem = run.summary, run.training.problem
    step = _steps_beside_hessians(name)
    return Entry(
        name=name,
        coordinates=str(problem.equation.coordinates),
        error=summary["error"],
        unknowns=summary["unknowns"],
        truth=summary["truth"],
        steps=summary["steps"],
        seconds=summary["seconds"],
        parameters=summary["parameters"],
        plan=summary["plan"],
        dof=step.get("dof"),
        hessian=step.get("hessian"),
    )


def _steps_beside_hessians(name: str) -> dict[str, float]:
    """Medians over the intervals, of all phases in the share that they have of the steps."""
    problem = problem_named(name)
    settings = settings_of(problem, {})
    shares = {"adam": settings.adam / settings.steps, settings.optimiser: settings.newton / settings.steps}
    short = {"report": RACED // 3, "adam": RACED if settings.adam else 0, "newton": RACED if settings.newton else 0}
    if problem.domain.size > HESSIANS:
        return {}
    try:
        found = race(name, short, lambda method, report: None)
    except NotEnoughMemoryError:
        return {}
    return {
        method: sum(share * _median(reports, phase) for phase, share in shares.items() if share)
        for method, reports in found.reports.items()
    }


def _median(reports: list[Report], phase: str) -> float:
    times = sorted(report.seconds_per_step for report in reports if report.phase == phase)
    return times[len(times) // 2]

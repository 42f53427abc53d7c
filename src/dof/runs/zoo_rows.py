"""The rows of `dof zoo`: a problem solved by its recipe, and the time of a step beside that with full Hessians."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dof.errors import NotEnoughMemoryError
from dof.runs.folder_lock import locked
from dof.runs.hessian_race import race
from dof.runs.report_files import write_report
from dof.runs.training_run import begin
from dof.runs.windowed_run import trained
from dof.solving import Report
from dof.solving.settings import settings_of
from dof.zoo import problem_named

RACE_STEPS = 30
"""Steps of each phase in the race, in three intervals, of whose times the median is taken."""
MOST_COORDINATES = 2000
"""Beyond so many coordinates there is no race. A step with full Hessians takes 1.2 s for 1,000 coordinates and
grows with their square: for 10,000, the next in the zoo, it would take minutes."""


@dataclass(frozen=True)
class ZooEntry:
    """What the table says of a problem.

    Attributes:
        name: Of the problem.
        coordinates: Their names.
        error: Relative, against the reference.
        unknowns: What was found of the problem's unknowns.
        truth: What the unknowns are.
        steps: Of training.
        seconds: Of training, without compilation.
        parameters: Of the network, and unknowns.
        plan: What is propagated for the equation.
        dof: Seconds of a step by dof; None where Hessians do not fit.
        hessian: Seconds of a step by full Hessians; None where they do not fit.
    """

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
        """How many times faster a step is with dof."""
        return self.hessian / self.dof if self.hessian and self.dof else None


def zoo_row(name: str, out: Path, on_report: Callable[[Report], Any]) -> ZooEntry:
    """Solve a problem of the zoo in a folder `out / name`, and race it against full Hessians."""
    with locked(out / name, "out"):
        shutil.rmtree(out / name, ignore_errors=True)  # of a run before
    run = begin(name, {}, out / name)
    with locked(out / name, "out"):
        run = trained(run, on_report)
        write_report(run)
    summary, problem = run.summary, run.training.problem
    step = _steps_beside_hessians(name)
    return ZooEntry(
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
    """Seconds of a step by each method: the median of each phase, averaged over phases by their numbers of steps."""
    problem = problem_named(name)
    settings = settings_of(problem, {})
    # By whether it is Adam's: which other optimiser it is may depend on the network.
    shares = {True: settings.adam / settings.steps, False: settings.newton / settings.steps}
    # A phase that the recipe does not have is not timed.
    adam, newton = (RACE_STEPS if steps else 0 for steps in (settings.adam, settings.newton))
    if problem.domain.size > MOST_COORDINATES:
        return {}
    try:
        found = race(name, {"report": RACE_STEPS // 3, "adam": adam, "newton": newton}, lambda method, report: None)
    except NotEnoughMemoryError:
        return {}
    return {
        method: sum(share * _median(reports, is_adam) for is_adam, share in shares.items() if share)
        for method, reports in found.reports.items()
    }


def _median(reports: list[Report], is_adam: bool) -> float:
    times = sorted(report.seconds_per_step for report in reports if (report.phase == "adam") == is_adam)
    return times[len(times) // 2]

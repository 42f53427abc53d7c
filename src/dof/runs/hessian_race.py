"""The same training by dof and by full Hessians, an interval of each in turn, so that both meet the same noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from dof.runs.problem_source import load_problem
from dof.solving import Report
from dof.solving.setting_checks import METHODS
from dof.solving.solver import intervals, training_of

OnReport = Callable[[str, Report], Any]


@dataclass(frozen=True)
class Race:
    """The reports of each method, after the same numbers of steps."""

    source: str
    reports: dict[str, list[Report]]

    @property
    def ratio(self) -> float:
        """How many times faster a step is with dof."""
        return self.reports["hessian"][-1].seconds / self.reports["dof"][-1].seconds

    def as_dict(self) -> dict[str, Any]:
        """What is written as race.json."""
        each = {method: [asdict(report) for report in found] for method, found in self.reports.items()}
        return {"problem": self.source, "ratio": self.ratio, "reports": each}


def race(source: str, settings: dict[str, Any], on_report: OnReport) -> Race:
    """Train a problem by both methods.

    Args:
        source: A name of the zoo, or a file.
        settings: As of `dof.solve`, without `method`.
        on_report: Called with the method and the report after each interval.
    """
    # Generators: each `zip` below takes one interval of every method, by turns. Each loads the problem anew, so that no
    # plan or program is shared.
    runners = {method: _reports(source, settings | {"method": method}) for method in METHODS}
    reports: dict[str, list[Report]] = {method: [] for method in METHODS}
    for both in zip(*runners.values(), strict=True):
        for method, report in zip(METHODS, both, strict=True):
            reports[method].append(report)
            on_report(method, report)
    return Race(source, reports)


def _reports(source: str, settings: dict[str, Any]) -> Iterator[Report]:
    training = training_of(load_problem(source), None, settings)
    return (report for _, report in intervals(training, training.start()))

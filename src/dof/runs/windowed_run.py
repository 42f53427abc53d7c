"""Runs of problems whose time is divided into windows: each window is trained in a folder of its own, one in the other.

A window goes on from its newest checkpoint. One that is at its end takes no step, so that going on with a run is
to train all its windows from the first on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

from dof.runs.atomic_write import told_where
from dof.runs.run_folder import RunFolder
from dof.runs.training_run import OnReport, TrainingRun, at_newest_checkpoint, train
from dof.solving import Report, WindowedSolution
from dof.solving.devices import is_first_process
from dof.solving.measuring.quality import quality
from dof.solving.solver import training_in_window
from dof.solving.training import Training


@dataclass(frozen=True)
class WindowedRun:
    """A run in windows of time.

    Attributes:
        source: The problem as it was named, a name of the zoo or a file.
        folder: Where it is written, with a folder for each window.
        training: The problem over all of time, the network and the settings.
        windows: The runs of the windows that are trained.
    """

    source: str
    folder: RunFolder
    training: Training
    windows: tuple[TrainingRun, ...] = ()

    @property
    def solution(self) -> WindowedSolution:
        """The solution of the windows that are trained."""
        return WindowedSolution(self.training.problem, tuple(window.solution for window in self.windows))

    @property
    def reports(self) -> list[Report]:
        """The reports of all windows, with the times of those before."""
        last = [window.reports[-1] for window in self.windows]
        before = accumulate((report.seconds for report in last), initial=0.0)
        total = accumulate((report.total_seconds for report in last), initial=0.0)
        return [
            replace(report, seconds=report.seconds + steps, total_seconds=report.total_seconds + all_)
            for window, steps, all_ in zip(self.windows, before, total, strict=False)
            for report in window.reports
        ]

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What is written as summary.json: as of the window with the largest residual, with sums over all."""
        worst = max(self.windows, key=lambda window: window.solution.relative_residual)
        error, solution = self.solution.error, self.solution
        return {
            **worst.summary,
            "error": error,
            "quality": solution.quality,
            "grade": quality(replace(worst.solution.report, error=error)).rank,
            "steps": sum(window.reports[-1].step for window in self.windows),
            "seconds": solution.seconds,
            "total_seconds": solution.total_seconds,
            "parameters": sum(window.summary["parameters"] for window in self.windows),
            "advice": [*self.training.advice, *filter(None, [solution.next_step])],
        }


def trained(
    run: TrainingRun, on_report: OnReport, on_window: Callable[[int], Any] = lambda number: None
) -> TrainingRun | WindowedRun:
    """Train a run to its end, in windows of time if its settings say so. Of several processes the first writes.

    Args:
        run: The run, new or resumed.
        on_report: Called after each interval.
        on_window: Called before each window with its number, from 1 on.
    """
    windows = run.training.settings.windows
    if windows == 1:
        return train(run, on_report)
    whole = WindowedRun(run.source, run.folder, run.training)
    for number in range(1, windows + 1):
        on_window(number)
        whole = replace(whole, windows=(*whole.windows, train(_next_window(whole), on_report)))
    if is_first_process():
        whole.folder.write("summary.json", json.dumps(whole.summary, indent=1))
    return whole


def _next_window(run: WindowedRun) -> TrainingRun:
    """The run of the window after those that are trained, as it was left."""
    before, whole = tuple(window.solution for window in run.windows), run.training
    mesh = whole.devices.mesh
    training = training_in_window(whole.problem, before, None, whole.settings.as_dict(), mesh=mesh)
    folder = run.folder.of_window(len(before) + 1)
    if is_first_process():
        with told_where(folder.path):
            folder.path.mkdir(exist_ok=True)
    return at_newest_checkpoint(run.source, folder, training)

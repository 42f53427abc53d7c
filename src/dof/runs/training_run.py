"""Training into a folder: a checkpoint after each interval, weights and a summary at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from dof import machine_info
from dof.errors import Diverged
from dof.runs import checkpoints
from dof.runs.problem_source import load_problem
from dof.runs.run_folder import RunFolder
from dof.solving import Report, Solution
from dof.solving.quality import quality
from dof.solving.solver import intervals, training_of
from dof.solving.training import Training, TrainingState

OnReport = Callable[[Report], Any]


@dataclass(frozen=True)
class TrainingRun:
    """A run: what is trained, where it is written, and how far it is.

    Attributes:
        source: The problem as it was named, a name of the zoo or a file.
        folder: Where it is written.
        training: The problem, the network and the settings.
        state: Of training, after the last interval.
        reports: Of all intervals so far.
    """

    source: str
    folder: RunFolder
    training: Training
    state: TrainingState
    reports: list[Report]

    @property
    def solution(self) -> Solution:
        """The solution as it is now."""
        return Solution(self.training, self.state.progress.best, tuple(self.reports))

    @cached_property
    def summary(self) -> dict[str, Any]:
        """What is written as summary.json: results, settings, versions, machine."""
        last, problem, best = self.reports[-1], self.training.problem, self.solution.report
        return {
            "problem": self.source,
            "steps": last.step,
            "best_step": best.step,
            "residual": best.residual,
            "residuals": best.residuals,
            "fitted": best.fitted,
            "loss": best.loss,
            "error": best.error,
            "quality": self.solution.quality,
            "grade": quality(best).rank,
            "advice": list(self.training.advice),
            "unknowns": best.unknowns,
            "truth": dict(problem.truth),
            "seconds": last.seconds,
            "parameters": int(self.state.theta.size),
            "plan": str(problem.plan),
            "conditions": [f"{c.name} (hard)" if c.hard else c.name for c in problem.conditions],
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "settings": self.training.settings.as_dict(),
            "versions": machine_info.versions(),
            "machine": machine_info.machine_facts(),
        }


def begin(source: str, settings: dict[str, Any], path: Path) -> TrainingRun:
    """A new run of a problem, with its folder.

    Args:
        source: A name of the zoo, or a file.
        settings: As of `dof.solve`.
        path: The folder; it must not have a run.
    """
    training = training_of(load_problem(source), None, settings)
    folder = RunFolder(path)
    folder.begin(source, training.settings)
    return TrainingRun(source, folder, training, training.start(), [])


def resume(path: Path) -> TrainingRun:
    """The run in a folder, at its newest checkpoint that is whole, or at the beginning."""
    folder = RunFolder(path)
    source, settings = folder.read()
    training = training_of(load_problem(source), None, settings)
    state = checkpoints.latest(folder.checkpoints, training.like) or training.start()
    return TrainingRun(source, folder, training, state, folder.reports(until=state.step))


def train(run: TrainingRun, on_report: OnReport) -> TrainingRun:
    """Train a run to its end.

    Metrics are written before the checkpoint of the same step, so that none is missing after a kill in between;
    `resume` drops those beyond the checkpoint.

    Raises:
        Diverged: If a loss is no number or grows too large.
    """
    try:
        for state, report in intervals(run.training, run.state, run.reports[-1].seconds if run.reports else 0.0):
            run = replace(run, state=state, reports=[*run.reports, report])
            run.folder.append(report)
            checkpoints.save(state, run.folder.checkpoints)
            on_report(report)
    except Diverged as error:
        if run.reports:
            error.add_note(f"The state of step {run.state.step} is kept in {run.folder.checkpoints}.")
        raise
    run.folder.write("weights.safetensors", checkpoints.named_weights(run.training, run.solution.theta))
    run.folder.write("summary.json", json.dumps(run.summary, indent=1))
    return run

"""Training into a folder: a checkpoint after each interval, and a report at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dof import system
from dof.errors import Diverged
from dof.runs import checkpoints
from dof.runs.problem_source import load_problem
from dof.runs.run_folder import Folder
from dof.solving import Report, Solution
from dof.solving.solver import intervals, training_of
from dof.solving.training import State, Training

OnReport = Callable[[Report], Any]


@dataclass(frozen=True)
class Run:
    """source: the problem as it was named."""

    source: str
    folder: Folder
    training: Training
    state: State
    reports: list[Report]

    @property
    def solution(self) -> Solution:
        return Solution(self.training, self.state.theta, tuple(self.reports))

    @cached_property
    def summary(self) -> dict[str, Any]:
        last, problem = self.reports[-1], self.training.problem
        return {
            "problem": self.source,
            "steps": last.step,
            "loss": last.loss,
            "error": last.error,
            "unknowns": last.unknowns,
            "truth": dict(problem.truth),
            "seconds": last.seconds,
            "parameters": int(self.state.theta.size),
            "plan": str(problem.plan),
            "settings": self.training.settings.as_dict(),
            "versions": system.versions(),
            "machine": system.describe(),
        }


def begin(source: str, settings: dict[str, Any], path: Path) -> Run:
    training = training_of(load_problem(source), None, settings)
    folder = Folder(path)
    folder.begin(source, training.settings)
    return Run(source, folder, training, training.start(), [])


def resume(path: Path) -> Run:
    """From its newest checkpoint that is whole, or from the beginning."""
    folder = Folder(path)
    source, settings = folder.read()
    training = training_of(load_problem(source), None, settings)
    state = checkpoints.latest(folder.checkpoints, training.like) or training.start()
    return Run(source, folder, training, state, folder.reports(until=state.step))


def train(run: Run, on_report: OnReport) -> Run:
    """The metrics are written before the checkpoint that they lead to: `resume` drops what goes beyond it."""
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
    run.folder.write("weights.safetensors", checkpoints.named_weights(run.training, run.state.theta))
    run.folder.write("summary.json", json.dumps(run.summary, indent=1))
    return run

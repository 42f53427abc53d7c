"""Training into a folder: a checkpoint after each interval, weights and a summary at the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import jax.numpy as jnp
from jax.sharding import Mesh

from dof import machine_info
from dof.errors import ArgumentError, Diverged, describe
from dof.runs import checkpoints
from dof.runs.html_page import HARD
from dof.runs.problem_code import code_in
from dof.runs.problem_source import file_and_name, load_problem
from dof.runs.run_config import begun_by, read_config, write_config
from dof.runs.run_folder import RunFolder
from dof.solving import Report, Solution
from dof.solving.devices import is_first_process
from dof.solving.measuring.quality import quality
from dof.solving.measuring.training_report import fitted_residuals
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
            "fitted_residuals": fitted_residuals(best),
            "given_points": sorted(self.training.objective.given),
            "loss": best.loss,
            "error": best.error,
            "quality": self.solution.quality,
            "grade": quality(best).rank,
            "advice": [*self.training.advice, *filter(None, [self.solution.next_step])],
            "unknowns": best.unknowns,
            "truth": dict(problem.truth),
            "seconds": last.seconds,
            "total_seconds": last.total_seconds,
            "parameters": int(self.state.theta.size),
            "devices": self.training.devices.count,
            "plan": str(problem.plan),
            "conditions": [f"{c.name}{HARD}" if c.hard else c.name for c in problem.conditions],
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "settings": self.training.settings.as_dict(),
            "versions": machine_info.versions(),
            "machine": machine_info.machine_facts(),
        }


def begin(source: str, settings: dict[str, Any], path: Path, mesh: Mesh | None = None) -> TrainingRun:
    """A new run of a problem, with its folder. Of several processes the first writes it.

    Args:
        source: A name of the zoo, or a file.
        settings: As of `dof.solve`.
        path: The folder; it must not have a run.
        mesh: As of `dof.solve`.
    """
    # Read before it is run, and once: the file may change while the problem is made.
    code = code_in(file_and_name(source)[0])
    training = training_of(load_problem(source, code), None, settings, mesh=mesh)
    if is_first_process():
        write_config(path, source, code, training.settings)
    return TrainingRun(source, RunFolder(path), training, training.start(), [])


def resume(path: Path, mesh: Mesh | None = None) -> TrainingRun:
    """The run in a folder, at its newest checkpoint that is whole, or at the beginning.

    Args:
        path: The folder, which all processes must see.
        mesh: As of `dof.solve`; it may have another number of devices than before.
    """
    config = read_config(path)
    training = training_of(config.problem(), None, config.settings, mesh=mesh)
    return at_newest_checkpoint(config.source, RunFolder(path), training)


def at_newest_checkpoint(source: str, folder: RunFolder, training: Training) -> TrainingRun:
    """The run of a training in a folder, at its newest checkpoint that is whole, or at the beginning."""
    state = checkpoints.latest(folder.checkpoints, training.like, begun_by(folder.run)) or training.start()
    _require_step(training.devices.from_first(jnp.asarray(state.step)), state.step)
    return TrainingRun(source, folder, training, state, folder.reports(until=state.step))


def train(run: TrainingRun, on_report: OnReport) -> TrainingRun:
    """Train a run to its end. Of several processes the first writes.

    Metrics are written before the checkpoint of the same step, so that none is missing after a kill in between;
    `resume` drops those beyond the checkpoint.

    Raises:
        Diverged: If a loss is no number or grows too large.
    """
    try:
        for state, report in intervals(run.training, run.state, run.reports[-1] if run.reports else None):
            run = replace(run, state=state, reports=[*run.reports, report])
            if is_first_process():
                run.folder.append(report)
                checkpoints.save(state, run.folder.checkpoints)
            on_report(report)
    except Diverged as error:
        if run.reports:
            error.add_note(f"The state of step {run.state.step} is kept in {run.folder.checkpoints}.")
        raise
    if is_first_process():
        run.folder.write("weights.safetensors", checkpoints.named_weights(run.training, run.solution.theta))
        run.folder.write("summary.json", json.dumps(run.summary, indent=1))
    return run


def _require_step(first: Any, own: int) -> None:
    """Refuse a checkpoint that is not the one of the first process, as in a folder that is not on a common disk."""
    if first != own:
        found = f"has a checkpoint of step {own} here, and of step {int(first)} in the first process"
        raise ArgumentError(describe("resume", found, "one folder for all processes", "a disk that all of them see"))

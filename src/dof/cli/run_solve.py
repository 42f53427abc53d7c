"""What `dof solve` does once its options are read: it trains in a folder, shows how far it is, and says how it went."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import typer
from jax.sharding import Mesh
from rich.console import Console

from dof.cli import INTERRUPTED
from dof.cli.option_values import free_folder
from dof.cli.sentences import say
from dof.cli.training_progress import ProgressLine
from dof.runs.folder_lock import locked
from dof.runs.hessian_race import race
from dof.runs.problem_source import load_problem, short_name, shown_name
from dof.runs.report_files import write_race, write_report
from dof.runs.run_config import read_config
from dof.runs.training_run import TrainingRun, begin, resume
from dof.runs.windowed_run import WindowedRun, trained
from dof.solving.devices import is_first_process
from dof.solving.measuring.training_report import steps_taken, time_taken, unknown_texts
from dof.solving.settings import settings_of

QUALITY_STYLES = ("green", "green", "yellow", "red", "bold red")
"""Colours of the sentence that says how good a solution is, from the best grade to the worst."""
RUNS = Path("dof-runs")
"""Where runs are written if `--out` does not say."""


def _folder_for(problem: str) -> Path:
    return free_folder(RUNS / short_name(problem))


def run_training(
    problem: str,
    settings: dict[str, Any],
    out: Path | None,
    resumed: Path | None,
    as_json: bool,
    mesh: Mesh | None = None,
) -> None:
    """Train a new run, or one that was begun, in a folder that no other training is in."""
    if resumed:
        config = read_config(resumed)  # refused before a lock is written into a folder that is no run's
        say(config.change, "yellow", Console(stderr=True))
        with _locked(resumed, "resume"):
            _solve(resume(resumed, mesh), as_json)
        return
    # Begun before it is locked: what is refused leaves no folder behind.
    run = begin(problem, settings, out or _folder_for(problem), mesh)
    with _locked(run.folder.path, "out"):
        _solve(run, as_json)


def _locked(folder: Path, argument: str) -> AbstractContextManager[None]:
    """The lock of a folder, which of several processes the first has."""
    return locked(folder, argument) if is_first_process() else nullcontext()


def _solve(run: TrainingRun, as_json: bool) -> None:
    """Train a run to its end, write its report, and say how it went. Of several processes the first speaks."""
    if not is_first_process():
        trained(run, lambda report: None)
        return
    for sentence in run.training.advice:
        say(sentence, "yellow", Console(stderr=True))
    with ProgressLine(shown_name(run.source), run.training.settings, as_json) as line:
        try:
            done = trained(run, line.report, line.window)
            write_report(done)
        except KeyboardInterrupt:
            line.stop(f"Interrupted. To go on: dof solve --resume {quote(str(run.folder.path))}")
            raise typer.Exit(INTERRUPTED) from None
    if as_json:
        print(json.dumps({"summary": done.summary, "folder": str(run.folder.path)}))
        return
    _conclude(done)


def _conclude(run: TrainingRun | WindowedRun) -> None:
    console = Console()
    # Sentences are wrapped between words on a terminal; what reads a pipe gets them whole.
    told = partial(console.print, highlight=False, markup=False, soft_wrap=not console.is_terminal)
    found = run.summary
    error = "" if found["error"] is None else f"relative error {found['error']:.2g}, "
    how_good = f"residual {found['residual']:.2g} on fresh points, {found['fitted']:.2g} on fitted ones"
    took = time_taken(found["seconds"], found["total_seconds"])
    # In windows of time each keeps a state of its own.
    steps = steps_taken(found["steps"], found["best_step"] if isinstance(run, TrainingRun) else found["steps"])
    told(f"{shown_name(run.source)}: {error}{how_good}, {steps} in {took}")
    told(found["quality"], style=QUALITY_STYLES[found["grade"]])
    say(run.solution.next_step, QUALITY_STYLES[found["grade"]], console)
    for name, text in unknown_texts(found["unknowns"], found["residual"]).items():
        true = found["truth"].get(name)
        told(f"{name} = {text}" + ("" if true is None else f" (true: {true})"))
    # Paths and calls stay whole.
    told(f"written: {run.folder.path / 'report.html'}", soft_wrap=True)
    told(f"in Python: dof.load({str(run.folder.path)!r})", soft_wrap=True)


def run_both_methods(problem: str, settings: dict[str, Any], out: Path | None, as_json: bool) -> None:
    """Train by both methods, and say which was faster."""
    path = out or free_folder(RUNS / f"{short_name(problem)}-race")
    path.mkdir(parents=True, exist_ok=True)
    chosen = settings_of(load_problem(problem), settings)
    with ProgressLine(shown_name(problem), chosen, as_json) as line:
        done = race(problem, settings, line.of_race)
    write_race(done, path)
    if as_json:
        print(json.dumps({"ratio": done.ratio, "folder": str(path)}))
        return
    each = ", ".join(f"{m} {r[-1].seconds:.2f} s" for m, r in done.reports.items())
    told = partial(Console().print, highlight=False, markup=False, soft_wrap=True)
    told(f"{shown_name(problem)}: {chosen.steps} steps: {each}; dof is {done.ratio:.2f}× as fast")
    told(f"written: {path / 'race.png'}")

"""The plots and the page of a run, into its folder."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from shlex import quote
from textwrap import dedent

from dof.runs.advice_as_options import option
from dof.runs.hessian_race import Race
from dof.runs.html_page import Shown, page
from dof.runs.problem_source import file_and_name, shown_name, title, whole_name
from dof.runs.run_config import KEPT
from dof.runs.run_folder import RunFolder
from dof.runs.training_run import TrainingRun
from dof.runs.windowed_run import WindowedRun
from dof.solving.measuring.training_plots import plot_race, plot_training, png
from dof.solving.settings import settings_of


def write_report(run: TrainingRun | WindowedRun) -> None:
    """Write the plots of the solution and of training, and the page that shows both."""
    figures = {"Solution": png(run.solution.plot()), "Training": png(plot_training(run.reports))}
    for heading, data in figures.items():
        run.folder.write(f"{heading.lower()}.png", data)
    # The page may be read in any folder.
    about = shown_name(run.source), title(run.source), command_of(run), str(run.folder.path.resolve()), _code_of(run)
    run.folder.write("report.html", page(Shown(*about), run.summary, figures))


def _code_of(run: TrainingRun | WindowedRun) -> str:
    """The problem's file as it was run; of the zoo the function of the equation."""
    kept = run.folder.path / KEPT
    if file_and_name(run.source)[0] is not None and kept.is_file():
        return kept.read_text(encoding="utf-8", errors="replace")
    try:
        return dedent(inspect.getsource(run.training.problem.equation.function))
    except (OSError, TypeError):  # made by a call, or without a file
        return ""


def command_of(run: TrainingRun | WindowedRun) -> str:
    """What to type for the same run: the seed, and the settings that differ from the problem's recipe."""
    objective, own = run.training.objective, run.training.settings.as_dict()
    # With the choices that are made by the number of parameters, which would be made again.
    usual = settings_of(run.training.problem, {}).chosen_for(objective.start.size, objective.components(0)).as_dict()
    changed = {name: value for name, value in own.items() if name == "seed" or value != usual[name]}
    return " ".join(["dof solve", quote(whole_name(run.source)), *(option(n, v) for n, v in changed.items())])


def write_race(race: Race, path: Path) -> None:
    """Write race.json and race.png into a folder."""
    folder = RunFolder(path)
    folder.write("race.json", json.dumps(race.as_dict(), indent=1))
    folder.write("race.png", png(plot_race(race.reports)))

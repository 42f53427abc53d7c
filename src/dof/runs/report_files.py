"""The plots and the page of a run, into its folder."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import Any

from dof.runs.hessian_race import Race
from dof.runs.html_page import page
from dof.runs.problem_source import title
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
    run.folder.write("report.html", page(run.source, title(run.source), run.summary, figures, command_of(run)))


def command_of(run: TrainingRun | WindowedRun) -> str:
    """What to type for the same run: the seed, and the settings that differ from the problem's recipe."""
    objective, own = run.training.objective, run.training.settings.as_dict()
    # With the choices that are made by the number of parameters, which would be made again.
    usual = settings_of(run.training.problem, {}).chosen_for(objective.start.size, objective.components(0)).as_dict()
    changed = {name: value for name, value in own.items() if name == "seed" or value != usual[name]}
    return " ".join(["dof solve", quote(run.source), *(_option(n.replace("_", "-"), v) for n, v in changed.items())])


def _option(name: str, value: Any) -> str:
    return f"--{name if value else f'no-{name}'}" if isinstance(value, bool) else f"--{name} {value}"


def write_race(race: Race, path: Path) -> None:
    """Write race.json and race.png into a folder."""
    folder = RunFolder(path)
    folder.write("race.json", json.dumps(race.as_dict(), indent=1))
    folder.write("race.png", png(plot_race(race.reports)))

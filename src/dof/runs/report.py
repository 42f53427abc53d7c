"""The plots and the page of a run, into its folder."""

from __future__ import annotations

import json
from pathlib import Path

from dof.runs.folder import Folder
from dof.runs.page import page
from dof.runs.race import Race
from dof.runs.run import Run
from dof.runs.source import title
from dof.solving.plots import plot_race, plot_training, png


def write_report(run: Run) -> None:
    figures = {"Solution": png(run.solution.plot()), "Training": png(plot_training(run.reports))}
    for heading, data in figures.items():
        run.folder.write(f"{heading.lower()}.png", data)
    command = f"dof solve {run.source} --seed {run.training.settings.seed}"
    run.folder.write("report.html", page(run.source, title(run.source), run.summary, figures, command))


def write_race(race: Race, path: Path) -> None:
    folder = Folder(path)
    folder.write("race.json", json.dumps(race.as_dict(), indent=1))
    folder.write("race.png", png(plot_race(race.reports)))

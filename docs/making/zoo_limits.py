"""What limits the error of some problems of the zoo: its size against width, points, optimiser and kind of conditions.

    python docs/making/zoo_limits.py helmholtz klein-gordon
    python docs/making/zoo_limits.py --picture

The first solves these problems by their recipes, and again with one setting changed at a time; each run is a line at
the end of docs/explanation/accuracy/limits.jsonl. The second draws docs/explanation/accuracy/limits.png from the file.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
from matplotlib.figure import Figure

import dof
from dof.pde import Problem
from dof.zoo import problem_named

FILE = Path(__file__).parents[1] / "explanation" / "accuracy" / "limits.jsonl"
PICTURE = FILE.with_suffix(".png")
WIDTHS, SHARES = (0.5, 1.5), (0.5, 2.0)
"""Factors of the recipe's width and of its number of points."""
LBFGS_STEPS = 2000
"""About as long as Gauss–Newton takes."""
COLOURS = ("#1f6f8b", "#d1495b", "#e0a458", "#7a9e5f", "#6c4f77", "#3d3d3d", "#4bb3a7")


def changes(problem: Problem, settings: Any) -> Iterator[tuple[str, Any, Problem, dict[str, Any]]]:
    """What is changed, to which value, the problem and the settings of each run."""
    yield "recipe", None, problem, {}
    for factor in WIDTHS:
        yield "width", factor, problem, {"width": round(factor * settings.width), "points": settings.points}
    for factor in SHARES:
        # Without the points that are added by themselves.
        adaptive = settings.adaptive is True
        yield "points", factor, problem, {"points": round(factor * settings.points), "adaptive": adaptive}
    yield "optimiser", "lbfgs", problem, {"optimiser": "lbfgs", "newton": LBFGS_STEPS, "report": 200}
    if any(condition.hard for condition in problem.conditions):
        soft = [replace(condition, hard=False) for condition in problem.conditions]
        yield "conditions", "soft", replace(problem, conditions=soft), {}


def measured(name: str) -> Iterator[dict[str, Any]]:
    """The figures of each run of a problem."""
    problem = problem_named(name)
    usual = dof.solving.solver.training_of(problem, None, {}).settings
    for knob, value, changed, settings in changes(problem, usual):
        began = time.process_time()
        solution = dof.solve(changed, **settings)
        yield {
            "problem": name,
            "knob": knob,
            "value": value,
            "error": solution.error,
            "seconds": round(time.process_time() - began, 1),
            "width": solution.training.settings.width,
            "points": solution.training.settings.points,
            "curve": [[r.step, float(f"{r.error:.3g}")] for r in solution.history],
        }


def runs(path: Path = FILE) -> dict[str, dict[tuple[str, Any], dict[str, Any]]]:
    """The last run of each change, by problem."""
    found: dict[str, dict[tuple[str, Any], dict[str, Any]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        found.setdefault(run["problem"], {})[run["knob"], run["value"]] = run
    return found


def picture() -> Figure:
    """Four panels, in each the error of all problems against what is changed."""
    figure = Figure(figsize=(11, 4.0), layout="constrained")
    axes = dict(zip(["width", "points", "optimiser", "conditions"], figure.subplots(1, 4, sharey=True), strict=True))
    for (name, found), colour in zip(sorted(runs().items()), COLOURS, strict=False):
        recipe = found["recipe", None]
        of = lambda knob, found=found: [run for (k, _), run in found.items() if k in (knob, "recipe")]  # noqa: E731
        for knob in ("width", "points"):
            pairs = sorted((run[knob] / recipe[knob], run["error"]) for run in of(knob))
            axes[knob].plot(*zip(*pairs, strict=True), "o-", ms=4, color=colour, label=name)
        for run, style in zip(of("optimiser"), ("-", ":"), strict=True):
            axes["optimiser"].plot(*zip(*run["curve"], strict=True), style, color=colour)
        errors = [run["error"] for run in of("conditions")]
        axes["conditions"].plot(range(len(errors)), errors, "o-", ms=4, color=colour)
    _labelled(axes)
    figure.legend(*axes["width"].get_legend_handles_labels(), loc="outside lower center", ncols=7, frameon=False)
    return figure


def _labelled(axes: dict[str, Any]) -> None:
    labels = {
        "width": "width / that of the recipe",
        "points": "points / those of the recipe",
        "optimiser": "steps (— Gauss–Newton, ··· L-BFGS)",
        "conditions": "conditions",
    }
    for knob, axis in axes.items():
        axis.set_yscale("log")
        axis.set_xlabel(labels[knob])
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#eeeeee")
    axes["optimiser"].set_xscale("log")
    axes["conditions"].set_xticks([0, 1], ["hard", "soft"])
    axes["conditions"].set_xlim(-0.4, 1.4)
    axes["width"].set_ylabel("relative error")


if __name__ == "__main__":
    if sys.argv[1:] == ["--picture"]:
        picture().savefig(PICTURE, dpi=130)
        sys.exit()
    jax.config.update("jax_enable_x64", True)
    for problem in sys.argv[1:]:
        for run in measured(problem):
            print({key: run[key] for key in ("problem", "knob", "value", "error", "seconds")}, flush=True)
            with FILE.open("a", encoding="utf-8") as file:
                file.write(json.dumps(run) + "\n")

"""The results of `dof bench solvers`: a table and a plot of error against time for each problem."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from rich.console import Console

from dof.bench.results.plots import OURS, save_figure
from dof.bench.results.write_results import print_files
from dof.bench.solvers.races import RACES
from dof.bench.solvers.solver_process import SolverResult
from dof.bench.solvers.solver_results import SolverRun, save
from dof.bench.solvers.stopwatch import Found
from dof.text_table import TextTable, print_tables

COLUMNS = ["problem", "DeepXDE: best", "after", "lines", "dof: error", "after", "lines", "as good after", "faster"]
NOTES = [
    "error: |u − reference| / |reference| at 4,096 points; of k(x) for the reaction rate",
    "DeepXDE: best: the smallest error that it had, and when; dof: the error of the solution that it returns, and when",
    "as good after: seconds until dof has DeepXDE's best error for good; faster: how many times sooner that is",
    "seconds with compilation, without imports and without measuring errors; each solver in a process of its own",
]
COLOURS = {"dof": OURS, "DeepXDE": "#c06040"}


def write_solvers(run: SolverRun, out: Path, console: Console) -> None:
    """Print the table of a run, and write table, plot and figures to the folder `out`."""
    table = solver_table(run)
    print_tables([table], console)
    save(run, out)
    note = _note(run)
    (out / "solvers.md").write_text(f"{note}\n\n{table.in_markdown()}", encoding="utf-8")
    plot_solvers(run, out / "solvers.png")
    print_files("solvers", out, console, note)


def _note(run: SolverRun) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    clock = " of processor time" if run.timing.by_processor else ""
    hardware = f"{run.machine['processor']}, {run.machine['cores']} cores"
    return f"{hardware}; at most {run.timing.limit:.0f} s{clock} for each solver; {versions}"


def solver_table(run: SolverRun) -> TextTable:
    """One line for each problem."""
    table = TextTable("DeepXDE's examples, by DeepXDE with its settings and by dof.solve with its defaults", COLUMNS)
    for name, results in _in_order(run):
        theirs, ours = results.get("DeepXDE"), results.get("dof")
        found = [*_cells(theirs, _best), *_cells(ours, lambda result: result.found[-1])]
        table.rows.append([RACES[name].title, *found, *_reached(ours, theirs)])
    table.notes = NOTES
    return table


def _in_order(run: SolverRun) -> list[tuple[str, dict[str, SolverResult]]]:
    return [(name, run.problems[name]) for name in RACES if name in run.problems]


def _best(result: SolverResult) -> Found:
    """The smallest error, and when it was reached."""
    return min(result.found, key=lambda found: found[1])


def _cells(result: SolverResult | None, which: Callable[[SolverResult], Found]) -> list[str]:
    """Error, seconds and lines of a solver."""
    if result is None or not result.found:
        return [result.failure or "–" if result else "–", "–", "–"]
    seconds, error = which(result)
    return [f"{error:.1e}", f"{seconds:.0f} s", str(result.lines)]


def _reached(ours: SolverResult | None, theirs: SolverResult | None) -> list[str]:
    """When dof had what DeepXDE reached at best, and how many times sooner than DeepXDE."""
    if not (ours and theirs and ours.found and theirs.found):
        return ["–", "–"]
    after, error = _best(theirs)
    seconds = first_for_good(ours, error)
    if seconds is None:
        return ["never", "–"]
    ratio = after / seconds
    return [f"{seconds:.1f} s", f"{ratio:.1f}×" if ratio < 10 else f"{ratio:.0f}×"]


def first_for_good(result: SolverResult, error: float) -> float | None:
    """The seconds after which the error is not larger than `error` any more; None if it ends above it."""
    seconds = None
    for at, found in reversed(result.found):
        if found > error:
            break
        seconds = at
    return seconds


def plot_solvers(run: SolverRun, path: Path) -> None:
    """A panel for each problem: error against time, both logarithmic."""
    problems = _in_order(run)
    columns = min(4, len(problems))
    rows = -(-len(problems) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.2 * columns, 2.9 * rows), layout="constrained", squeeze=False)
    for axis, (name, results) in zip(axes.flat, problems, strict=False):
        _panel(axis, RACES[name].title, results)
    spare = list(axes.flat[len(problems) :])
    for axis in spare:
        axis.set_visible(False)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    where: Any = {"loc": "lower right", "fontsize": 10} if spare else {"loc": "outside lower center", "ncols": 2}
    figure.legend(handles, labels, frameon=False, **where)
    save_figure(figure, path)


def _panel(axis: Any, title: str, results: dict[str, SolverResult]) -> None:
    words = {"DeepXDE": "DeepXDE, settings of its example", "dof": "dof.solve(problem)"}
    for solver in ("DeepXDE", "dof"):
        found = results[solver].found if solver in results else []
        colour = COLOURS[solver]
        times, errors = [at for at, _ in found], [error for _, error in found]
        axis.plot(times, errors, color=colour, linewidth=1.8, label=words[solver])
        if found:
            axis.plot(times[-1:], errors[-1:], "o", color=colour, markersize=4)
            place = {"xytext": (5, -3), "textcoords": "offset points", "fontsize": 7, "color": colour}
            axis.annotate(f"{errors[-1]:.0e}", (times[-1], errors[-1]), **place)
    axis.set(xscale="log", yscale="log")
    axis.margins(x=0.15)  # room for the numbers at the ends
    axis.set_title(title, fontsize=10)
    axis.set_xlabel("seconds", fontsize=8)
    axis.set_ylabel("relative error", fontsize=8)
    axis.tick_params(which="both", labelsize=7)
    axis.grid(True, which="major", linewidth=0.3)
    axis.spines[["top", "right"]].set_visible(False)

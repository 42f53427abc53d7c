"""Plots of a run: bars for each method, the paper's ratios beside ours, and costs over the number of inputs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib

# Before pyplot is imported. Figures go to files only: no window system is asked for, whatever the user's backend is.
matplotlib.use("Agg")
import matplotlib.pyplot as plt

from dof.bench.cases.case_table import CASES
from dof.bench.results.outcomes import CaseResult, Outcome, SuiteRun
from dof.bench.results.paper_tables import PUBLISHED
from dof.bench.results.statistics import median, ratio_of_medians

OURS, OTHERS, PAPER, FAILED = "#1f6f8b", "#b8b8b8", "#e0a458", "#b03030"


def plot_paper(run: SuiteRun, path: Path) -> None:
    """Bars of how many times less memory and time dof takes than the Hessian: here, and in the paper."""
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    results = [r for r in run.cases if r.done("dof") and r.done("hessian") and r.case in PUBLISHED]
    for axis, title, ours, theirs in (
        (axes[0], "how many times less memory than the Hessian", _memory_ratio, lambda it: it.memory),
        (axes[1], "how many times faster than the Hessian", _time_ratio, lambda it: it.time),
    ):
        _pairs_of_bars(axis, title, [r.title for r in results], [ours(r) for r in results], results, theirs)
    axes[0].legend(loc="upper left", frameon=False)
    save_figure(figure, path)


def _pairs_of_bars(axis: Any, title: str, names: list[str], ours: list[float], results: Any, theirs: Any) -> None:
    places = range(len(names))
    published = [theirs(PUBLISHED[result.case]) for result in results]
    for shift, values, colour, label in ((-0.2, ours, OURS, "dof, here"), (0.2, published, PAPER, "the paper, V100")):
        bars = axis.bar([p + shift for p in places], values, 0.38, color=colour, label=label)
        axis.bar_label(bars, [f"{v:.1f}×" for v in values], fontsize=7)
    axis.set_xticks(list(places), [name.replace(", ", "\n") for name in names], fontsize=8)
    axis.set_yscale("log")
    axis.set_ylim(1, 3 * max([*ours, *published, 1]))
    axis.set_title(title, fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)


def _memory_ratio(result: CaseResult) -> float:
    hessian, ours = result.outcomes["hessian"], result.outcomes["dof"]
    return (hessian.temporary or math.nan) / (ours.temporary or math.nan)


def _time_ratio(result: CaseResult) -> float:
    return ratio_of_medians(result.outcomes["hessian"].seconds, result.outcomes["dof"].seconds).value


def plot_methods(run: SuiteRun, path: Path) -> None:
    """A panel for each case with a bar for each method: its time relative to that of dof. Longer is slower."""
    columns = min(3, len(run.cases))
    rows = -(-len(run.cases) // columns)
    most = max(len(result.outcomes) for result in run.cases)
    size = (4.6 * columns, (0.22 * most + 0.75) * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for axis, result in zip(axes.flat, run.cases, strict=False):
        _bars_of_case(axis, result)
    for axis in axes.flat[len(run.cases) :]:
        axis.set_visible(False)
    figure.suptitle("time relative to dof (logarithmic; longer is slower)", fontsize=11)
    save_figure(figure, path)


def _bars_of_case(axis: Any, result: CaseResult) -> None:
    ours = result.done("dof")
    outcomes = list(result.outcomes.values())[::-1]
    axis.set_title(f"{result.title} ({result.points:,} points)", fontsize=8, loc="left")
    axis.set_yticks(range(len(outcomes)), [outcome.method for outcome in outcomes], fontsize=7)
    axis.set_ylim(-0.6, len(outcomes) - 0.4)
    axis.set_xscale("log")
    axis.spines[["top", "right"]].set_visible(False)
    axis.tick_params(axis="x", which="both", labelsize=7)
    relative = [median(o.seconds) / median(ours.seconds) if ours and o.seconds else None for o in outcomes]
    known = [value for value in relative if value]
    if not known:
        return
    left, right = min(0.8, 0.8 * min(known)), max(known)
    axis.set_xlim(left, 4 * right)
    axis.axvline(1, color="black", linewidth=0.6)
    for place, (outcome, value) in enumerate(zip(outcomes, relative, strict=True)):
        _bar(axis, place, outcome, value, left)


def _bar(axis: Any, place: int, outcome: Outcome, value: float | None, left: float) -> None:
    if value is None:
        reason = (outcome.failure or "").split(":")[0][:38]
        axis.text(1.05, place, reason, fontsize=6.5, va="center", color=FAILED)
        return
    colour = OURS if outcome.method.startswith("dof") else OTHERS
    # A logarithmic axis has no zero for bars to begin at.
    axis.barh(place, value - left, left=left, color=colour, height=0.7)
    note = f"{value:.3g}×" if outcome.exact else f"{value:.3g}× estimate, off by {outcome.deviation:.1g}"
    axis.text(value * 1.05, place, note, fontsize=6.5, va="center")


def plot_inputs(run: SuiteRun, path: Path) -> None:
    """Time and temporary memory of a point over the number of inputs; the line of a method ends where it fails."""
    results = [result for result in run.cases if result.case.startswith("inputs-")]
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    # Without doubles, in the order in which the tables have them.
    methods = list(dict.fromkeys(name for result in results for name in result.outcomes))
    for index, method in enumerate(methods):
        found = [(CASES[r.case].network.inputs, r.points, it) for r in results if (it := r.done(method))]
        style = {"color": OURS, "linewidth": 2.2} if method == "dof" else {"color": f"C{index}", "linewidth": 1}
        for axis, figures in (
            (axes[0], [(n, median(it.seconds) / points) for n, points, it in found]),
            (axes[1], [(n, it.temporary / points) for n, points, it in found if it.temporary]),
        ):
            axis.plot([n for n, _ in figures], [y for _, y in figures], "o-", markersize=3, label=method, **style)
    for axis, title in zip(axes, ("seconds for a point", "bytes of temporary memory for a point"), strict=True):
        axis.set(xscale="log", yscale="log", xlabel="number of inputs N")
        axis.set_title(title, fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right center", fontsize=8, frameon=False)
    save_figure(figure, path)


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure as PNG and free it."""
    figure.savefig(path, dpi=130)
    plt.close(figure)

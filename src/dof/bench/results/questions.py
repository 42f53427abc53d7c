"""One picture for what users ask: how much faster is a training step of a PINN, a wave function, a large problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from dof.bench.results.outcomes import CaseResult, load
from dof.bench.results.plots import FAILED, OTHERS, OURS, save_figure
from dof.bench.results.statistics import median
from dof.bench.results.tables import fastest_other
from dof.errors import ArgumentError, describe

QUESTIONS = {
    "a training step of a PINN": ("pinn", "pinn-"),
    "the kinetic energy of a wave function": ("waves", ""),
    "the exact Laplacian of many inputs": ("peers", "inputs-"),
    "a training step of order three and four": ("peers", "-step"),
}
"""For each question the suite that answers it, and what the names of its cases contain."""


LARGE = 10.0
"""Ratios from which on an axis is logarithmic."""


def plot_questions(folder: Path, path: Path) -> list[str]:
    """A panel for each question whose suite has been run, from the JSON files of a folder; returns the questions.

    Raises:
        ArgumentError: If the folder has none of them.
    """
    answers = {q: found for q, (suite, part) in QUESTIONS.items() if (found := _results(folder, suite, part))}
    if not answers:
        raise ArgumentError(
            describe("out", f"is {str(folder)!r}", "a folder with results", "dof bench pinn, then again")
        )
    columns = min(2, len(answers))
    sizes = list(map(len, answers.values()))
    heights = [max(sizes[first : first + columns]) for first in range(0, len(sizes), columns)]
    figure, axes = plt.subplots(
        len(heights),
        columns,
        figsize=(5.6 * columns, 0.26 * sum(heights) + 0.9 * len(heights)),
        height_ratios=[0.26 * height + 0.5 for height in heights],
        layout="constrained",
        squeeze=False,
    )
    for index, (question, results) in enumerate(answers.items()):
        axis = axes.flat[index]
        _panel(axis, question, results)
        # The same height for all bars of a row, with empty room below where there are few.
        axis.set_ylim(len(results) - heights[index // columns] - 0.6, len(results) - 0.4)
    for axis in axes.flat[len(answers) :]:
        axis.set_visible(False)
    figure.suptitle("how many times faster than the fastest other exact method dof is", fontsize=11)
    save_figure(figure, path)
    return list(answers)


def _results(folder: Path, suite: str, part: str) -> list[CaseResult]:
    """The results of a suite in which dof was measured."""
    path = folder / f"{suite}.json"
    found = load(path).cases if path.exists() else []
    # "-step" is also the end of operators of order two, whose question is another one.
    higher = {"nested jvp"} if part == "-step" else set()
    return [it for it in found if part in it.case and it.done("dof") and higher <= it.outcomes.keys()]


def _panel(axis: Any, question: str, results: list[CaseResult]) -> None:
    axis.set_title(question, fontsize=10, loc="left")
    axis.set_yticks(range(len(results)), [_label(it) for it in results[::-1]], fontsize=7)
    ratios = [_bar(axis, place, it) for place, it in enumerate(results[::-1])]
    axis.axvline(1, color="black", linewidth=0.6)
    if max(ratios) > LARGE:
        axis.set_xscale("log")
        axis.set_xlim(0.5, 20 * max(ratios))
    else:
        axis.set_xlim(0, 1.45 * max(ratios))
    axis.tick_params(axis="x", labelsize=7)
    axis.spines[["top", "right"]].set_visible(False)


def _label(result: CaseResult) -> str:
    title = result.title.removeprefix("training step, ").removesuffix(", Laplacian")
    return f"{title} ({result.points:,} points)"


def _bar(axis: Any, place: int, result: CaseResult) -> float:
    """Draw how long the fastest other method takes, relative to dof, and return it."""
    other, ours = fastest_other(result), result.done("dof")
    if other is None or ours is None:
        axis.text(1.05, place, "no other exact method ends", fontsize=6.5, va="center", color=FAILED)
        return 1.0
    ratio = median(other.seconds) / median(ours.seconds)
    axis.barh(place, ratio, color=OURS if ratio >= 1 else OTHERS, height=0.7)
    axis.text(ratio, place, f" {ratio:.1f}×  {other.method}", fontsize=6.5, va="center")
    return ratio

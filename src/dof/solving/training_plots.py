"""Pictures of training: losses and error against time, and the same for two methods side by side."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import chain, cycle, pairwise
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dof.solving.training_report import Report

DOF_COLOUR, HESSIAN_COLOUR, EQUATION_COLOUR = "#1f6f8b", "#c06040", "#555555"
CONDITION_COLOURS = ("#e0a458", "#7a9e5f", "#8a6fa8", "#b8b8b8")


def png(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=130)
    return buffer.getvalue()


def plot_training(reports: Sequence[Report]) -> Figure:
    """The mean square of each term and the relative error against time, with a line where the optimiser changes."""
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    axis = figure.subplots()
    seconds = [report.seconds for report in reports]
    names = dict.fromkeys(name for report in reports for name in report.losses)  # an older run may have had others
    for name, colour in zip(names, chain([EQUATION_COLOUR], cycle(CONDITION_COLOURS)), strict=False):
        losses = [report.losses.get(name, np.nan) for report in reports]
        axis.plot(seconds, losses, color=colour, lw=1.2, label=f"mean square: {name}")
    if reports[0].error is not None:
        # An error of exactly 0 has no place on a logarithmic axis.
        axis.plot(seconds, [r.error or np.nan for r in reports], color=DOF_COLOUR, lw=2, label="relative error")
    changes = [r.seconds for r, after in pairwise(reports) if r.phase != after.phase]
    for second in changes:
        axis.axvline(second, color="#bbbbbb", lw=0.8, ls=":")
    _time_axis(axis)
    return figure


def plot_race(reports: dict[str, list[Report]]) -> Figure:
    """The error of each method against time, or the loss where no reference is known."""
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    axis = figure.subplots()
    for (method, found), colour in zip(reports.items(), (DOF_COLOUR, HESSIAN_COLOUR), strict=True):
        has_error = found[0].error is not None
        seconds, values = [r.seconds for r in found], [(r.error or np.nan) if has_error else r.loss for r in found]
        axis.plot(seconds, values, color=colour, lw=2, label=f"{method}: {found[-1].seconds:.1f} s")
        axis.set_ylabel("relative error" if has_error else "loss")
    _time_axis(axis)
    return figure


def _time_axis(axis: Any) -> None:
    """Seconds against a logarithmic axis, with the legend at the side."""
    axis.set_yscale("log")
    axis.set_xlabel("seconds of training")
    axis.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axis.spines[["top", "right"]].set_visible(False)

"""Pictures of training: residuals and error against time, and the same for two methods side by side."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from itertools import chain, cycle, pairwise
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from dof.solving.measuring.training_report import Report

DOF_COLOUR, HESSIAN_COLOUR, EQUATION_COLOUR = "#1f6f8b", "#c06040", "#555555"
WIDTH = 7.5
"""Inches of every figure, so that letters of one size have one size on the page too."""
ONE_SIZE: Any = {"font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9, "legend.fontsize": 9, "figure.titlesize": 9}
CONDITION_COLOURS = ("#e0a458", "#7a9e5f", "#8a6fa8", "#b8b8b8")


def png(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=130)
    return buffer.getvalue()


@rc_context(ONE_SIZE)
def plot_training(reports: Sequence[Report]) -> Figure:
    """The residual of each term on fresh points, all of them on fitted points, and the error, against time."""
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    axis = figure.subplots()
    seconds = [report.seconds for report in reports]
    # A number that is exactly 0 has no place on a logarithmic axis.
    draw = lambda values, **style: axis.plot(seconds, [v or np.nan for v in values], **style)  # noqa: E731
    names = dict.fromkeys(name for report in reports for name in report.residuals)  # an older run may have had others
    for name, colour in zip(names, chain([EQUATION_COLOUR], cycle(CONDITION_COLOURS)), strict=False):
        draw([r.residuals.get(name, 0.0) for r in reports], color=colour, lw=1.2, label=f"fresh points: {name}")
    draw([r.fitted for r in reports], color=EQUATION_COLOUR, lw=1.2, ls="--", label="fitted points")
    # In the first windows of time the reference may be zero, without an error relative to it.
    if any(r.error is not None for r in reports):
        draw([r.error or 0.0 for r in reports], color=DOF_COLOUR, lw=2, label="relative error")
    _mark_phases(axis, reports)
    axis.set_ylabel("relative residual")
    _time_axis(axis)
    return figure


def _mark_phases(axis: Any, reports: Sequence[Report]) -> None:
    """The name of each optimiser where its steps begin, and a line where it takes over."""
    begins = [(0.0, reports[0].phase)]
    # In windows of time steps begin anew, perhaps with the same optimiser.
    is_new = lambda r, after: r.phase != after.phase or after.step <= r.step  # noqa: E731
    begins += [(r.seconds, after.phase) for r, after in pairwise(reports) if is_new(r, after)]
    names: list[str] = []
    for begin, name in begins:
        axis.axvline(begin, color="#bbbbbb", lw=0.8, ls=":")
        if name not in names:
            # One above the other: a short phase leaves no room for its name.
            place, height = axis.get_xaxis_transform(), 1.01 + 0.06 * len(names)
            axis.text(begin, height, f" {name}", transform=place, color="#777777", va="bottom")
            names.append(name)


@rc_context(ONE_SIZE)
def plot_race(reports: dict[str, list[Report]]) -> Figure:
    """The error of each method against time, or the residual on fresh points where no reference is known."""
    figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
    axis = figure.subplots()
    for (method, found), colour in zip(reports.items(), (DOF_COLOUR, HESSIAN_COLOUR), strict=True):
        has_error = found[0].error is not None
        seconds, values = [r.seconds for r in found], [(r.error or np.nan) if has_error else r.residual for r in found]
        axis.plot(seconds, values, color=colour, lw=2, label=f"{method}: {found[-1].seconds:.1f} s")
        axis.set_ylabel("relative error" if has_error else "relative residual")
    _time_axis(axis)
    return figure


def _time_axis(axis: Any) -> None:
    """Seconds against a logarithmic axis, with the legend at the side."""
    axis.set_yscale("log")
    axis.set_xlabel("seconds of training")
    axis.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axis.spines[["top", "right"]].set_visible(False)

"""Pictures: the solution, the reference and the error on a slice; loss and error against time; a race.

Figures are made without pyplot, whose state and backend belong to the user.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import BytesIO
from itertools import chain, cycle, pairwise
from typing import Any

import jax
import numpy as np
from matplotlib.figure import Figure

import dof
from dof.pde import Problem
from dof.pde.notation.names import TIME
from dof.solving.training import Report

OURS, THEIRS, CONDITIONS = "#1f6f8b", "#c06040", ("#e0a458", "#7a9e5f", "#8a6fa8", "#b8b8b8")
GRID, COARSE = 81, 21
"""Points along an axis; where there are very many coordinates, fewer."""
MANY = 1000


def png(figure: Figure) -> bytes:
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=130)
    return buffer.getvalue()


def plot_solution(problem: Problem, u: Callable[[Any], Any]) -> Figure:
    """A row for each component: u, the reference, and their difference."""
    axes_of, points, inside = slice_of(problem)
    values = np.asarray(u(points)).reshape(len(points), -1)
    exact = None if problem.reference is None else _exact(problem, points).reshape(len(points), -1)
    names, wide = problem.equation.fields.each, 1 if exact is None else 3
    figure = Figure(figsize=(4.1 * wide, 3.2 * len(names)), layout="constrained")
    axes = figure.subplots(len(names), wide, squeeze=False)
    for row, name in enumerate(names):
        shown = [(name, values[:, row])]
        if exact is not None:
            shown += [(f"reference {name}", exact[:, row]), ("difference", values[:, row] - exact[:, row])]
        for axis, (title, part) in zip(axes[row], shown, strict=True):
            _draw(figure, axis, axes_of, np.where(inside, part, np.nan), title, title == "difference")
    figure.suptitle(slice_text(problem), fontsize=9, color="#555555")
    return figure


def _exact(problem: Problem, points: np.ndarray) -> np.ndarray:
    with jax.enable_x64(True):
        return np.asarray(jax.jit(dof.batched(problem.exact))(points))


def _draw(figure: Any, axis: Any, axes_of: list[tuple[str, np.ndarray]], values: Any, title: str, signed: bool) -> None:
    (x_name, x), *rest = axes_of
    axis.set_title(title, fontsize=10)
    axis.set_xlabel(x_name)
    if not rest:
        axis.plot(x, values, color=OURS)
        return
    (y_name, y), limit = rest[0], np.nanmax(np.abs(values)) or 1.0
    limits = {"vmin": -limit, "vmax": limit, "cmap": "RdBu_r"} if signed else {"cmap": "viridis"}
    drawn = axis.pcolormesh(x, y, values.reshape(len(y), len(x)), shading="gouraud", **limits)
    axis.set_ylabel(y_name)
    figure.colorbar(drawn, ax=axis, shrink=0.9)


def shown_places(problem: Problem) -> list[int]:
    """Two coordinates: of space if it has two, else space and time."""
    coordinates = problem.equation.coordinates
    time = list(coordinates.axes(TIME)) if TIME in coordinates.names else []
    space = [i for i in range(coordinates.count) if i not in time]
    return (space[:2] if len(space) > 1 else space + time)[:2]


def slice_of(problem: Problem) -> tuple[list[tuple[str, np.ndarray]], np.ndarray, np.ndarray]:
    """(shown coordinates with their grids, points, whether these are inside). Other coordinates stand in the middle."""
    low, high = problem.domain.bounds
    places = shown_places(problem)
    count = GRID if problem.domain.size < MANY else COARSE
    grids = [np.linspace(low[i], high[i], count) for i in places]
    mesh = np.meshgrid(*grids)
    points = np.tile((low + high) / 2, (mesh[0].size, 1))
    for place, part in zip(places, mesh, strict=True):
        points[:, place] = part.ravel()
    names = problem.equation.coordinates.each
    return [(names[i], grid) for i, grid in zip(places, grids, strict=True)], points, problem.domain.contains(points)


def slice_text(problem: Problem) -> str:
    low, high = problem.domain.bounds
    others = [i for i in range(problem.domain.size) if i not in shown_places(problem)]
    names = problem.equation.coordinates.each
    if len(others) > 4:
        return f"{len(others)} other coordinates in the middle of the domain"
    return ", ".join(f"{names[i]} = {(low[i] + high[i]) / 2:.3g}" for i in others)


def plot_training(reports: Sequence[Report]) -> Figure:
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    axis = figure.subplots()
    seconds = [report.seconds for report in reports]
    names = dict.fromkeys(name for report in reports for name in report.losses)  # an older run may have had others
    for name, colour in zip(names, chain(["#555555"], cycle(CONDITIONS)), strict=False):
        losses = [report.losses.get(name, np.nan) for report in reports]
        axis.plot(seconds, losses, color=colour, lw=1.2, label=f"mean square: {name}")
    if reports[0].error is not None:
        axis.plot(seconds, [r.error or np.nan for r in reports], color=OURS, lw=2, label="relative error")
    changes = [r.seconds for r, after in pairwise(reports) if r.phase != after.phase]
    for second in changes:
        axis.axvline(second, color="#bbbbbb", lw=0.8, ls=":")
    _time_axis(axis)
    return figure


def plot_race(reports: dict[str, list[Report]]) -> Figure:
    """Error against time, or the loss where no reference is known."""
    figure = Figure(figsize=(7.5, 3.6), layout="constrained")
    axis = figure.subplots()
    for (method, found), colour in zip(reports.items(), (OURS, THEIRS), strict=True):
        has_error = found[0].error is not None
        seconds, values = [r.seconds for r in found], [(r.error or np.nan) if has_error else r.loss for r in found]
        axis.plot(seconds, values, color=colour, lw=2, label=f"{method}: {found[-1].seconds:.1f} s")
        axis.set_ylabel("relative error" if has_error else "loss")
    _time_axis(axis)
    return figure


def _time_axis(axis: Any) -> None:
    axis.set_yscale("log")
    axis.set_xlabel("seconds of training")
    axis.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axis.spines[["top", "right"]].set_visible(False)

"""A picture of a solution on slices of the domain, beside the reference and the difference from it.

Figures are made without pyplot, whose state and backend belong to the user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import dof
from dof.extend import enable_x64
from dof.pde import Problem
from dof.pde.notation.names import TIME
from dof.solving.measuring.training_plots import ONE_SIZE, WIDTH
from dof.solving.solutions.slices import Slice, slice_text, slices_of

LINE_COLOUR = "#1f6f8b"
HEIGHT_BY_PANELS = {2: 2.9, 3: 2.1}
"""Inches from top to bottom of a picture, by how many stand side by side."""
LONGEST = 5
"""How many times longer than wide a map may be to have one scale for both axes: longer ones would be a line."""


class Row(NamedTuple):
    """What is shown with one scale of colours.

    Attributes:
        title: What it is.
        values: Those of each slice.
        is_signed: Whether colours are white at zero.
    """

    title: str
    values: list[np.ndarray]
    is_signed: bool = False


@rc_context(ONE_SIZE)
def plot_solution(
    problem: Problem,
    u: Callable[[Any], Any],
    residual: Callable[[np.ndarray], np.ndarray],
    fixed: Mapping[str, Any] | None = None,
) -> Figure:
    """Of each component u, the reference if it is known, and their difference; then the size of the residual.

    At three times, where two coordinates of space vary and time is not fixed; then without the reference itself.

    Args:
        problem: The problem, with its domain and reference.
        u: The unknown functions, of points (n, coordinates).
        residual: |r| of the equation, of points inside of the domain.
        fixed: Values of coordinates by name.
    """
    cuts = slices_of(problem, **(fixed or {}))
    first = cuts[0]
    title = "|residual| of the equation" if len(cuts) == 1 else "|residual|"
    rows = [*_rows_of_fields(problem, u, cuts), Row(title, [_sizes(residual, cut) for cut in cuts])]
    # A row for each component, where there are several; else two in a row, which can be read on a phone.
    has_triples = problem.reference is not None and problem.equation.fields.count > 1
    across = 3 if len(cuts) > 1 or has_triples else 2
    groups = rows if len(cuts) > 1 else [rows[k : k + across] for k in range(0, len(rows), across)]
    figure = Figure(figsize=(WIDTH, HEIGHT_BY_PANELS[across] * len(groups)), layout="constrained")
    axes = figure.subplots(len(groups), across, squeeze=False)
    for own, group in zip(axes, groups, strict=True):
        if isinstance(group, Row):
            _draw_times(figure, own, problem, cuts, group)
        else:
            _draw_panels(figure, own, problem, first, group)
    figure.suptitle(slice_text(problem, cuts, fixed or {}), color="#555555")
    return figure


def _rows_of_fields(problem: Problem, u: Callable[[Any], Any], cuts: Sequence[Slice]) -> list[Row]:
    """What is shown of the components."""
    table = lambda values, cut: np.asarray(values).reshape(len(cut.points), -1)  # noqa: E731
    found = [table(u(cut.points), cut) for cut in cuts]
    rows, has_reference = [], problem.reference is not None
    exact = [table(_exact(problem, cut.points), cut) for cut in cuts] if has_reference else []
    for k, name in enumerate(problem.equation.fields.each):
        rows.append(Row(name, [values[:, k] for values in found]))
        if exact and len(cuts) == 1:
            rows.append(Row(f"reference {name}", [values[:, k] for values in exact]))
        if exact:
            differences = [values[:, k] - true[:, k] for values, true in zip(found, exact, strict=True)]
            rows.append(Row("difference" if len(cuts) == 1 else f"{name} − reference", differences, is_signed=True))
    return rows


def _sizes(residual: Callable[[np.ndarray], np.ndarray], cut: Slice) -> np.ndarray:
    sizes = np.full(len(cut.points), np.nan)
    sizes[cut.inside] = residual(cut.points[cut.inside])
    return sizes


def _exact(problem: Problem, points: np.ndarray) -> np.ndarray:
    with enable_x64():
        return np.asarray(jax.jit(dof.batched(problem.exact))(points))


def _draw_panels(figure: Any, axes: Any, problem: Problem, cut: Slice, rows: list[Row]) -> None:
    """Quantities side by side, each with colours of its own."""
    for axis in axes[len(rows) :]:
        axis.set_visible(False)
    for axis, row in zip(axes, rows, strict=False):
        drawn = _draw(axis, problem, cut, row.values[0], row.title, _limits(row, (cut,)))
        if drawn is not None:
            figure.colorbar(drawn, ax=axis, shrink=0.9)


def _draw_times(figure: Any, axes: Any, problem: Problem, cuts: Sequence[Slice], row: Row) -> None:
    """One quantity at several times, with the same colours."""
    limits, time, drawn = _limits(row, cuts), problem.named_domain.time, None
    for axis, cut, values in zip(axes, cuts, row.values, strict=True):
        title = f"{row.title}, {TIME} = {cut.points[0, time]:.3g}"
        drawn = _draw(axis, problem, cut, values, title, limits)
        axis.label_outer()
    figure.colorbar(drawn, ax=list(axes), shrink=0.9)


def _limits(row: Row, cuts: Sequence[Slice]) -> dict[str, Any]:
    """The range of colours, over what is inside of the domain."""
    inside = np.concatenate([values[cut.inside] for values, cut in zip(row.values, cuts, strict=True)])
    finite = inside[np.isfinite(inside)]
    if not finite.size:
        return {}
    # A difference that is zero everywhere would have the limits 0 and 0.
    limit = np.abs(finite).max() or 1.0
    low, high = (-limit, limit) if row.is_signed else (finite.min(), finite.max())
    return {"vmin": low, "vmax": high, "cmap": "RdBu_r" if row.is_signed else "viridis"}


def _draw(axis: Any, problem: Problem, cut: Slice, values: np.ndarray, title: str, limits: dict[str, Any]) -> Any:
    """A curve over one coordinate, or colours over two, which are returned."""
    names, inside = [problem.equation.coordinates.each[i] for i in cut.axes], np.where(cut.inside, values, np.nan)
    axis.set_title(title)
    axis.set_xlabel(names[0])
    if len(names) == 1:
        axis.plot(cut.grids[0], inside, color=LINE_COLOUR)
        return None
    axis.set_ylabel(names[1])
    x, y = cut.grids
    long, short = sorted([np.ptp(x), np.ptp(y)], reverse=True)
    if cut.is_map and long <= LONGEST * short:
        axis.set_aspect("equal")
    return axis.pcolormesh(x, y, inside.reshape(len(y), len(x)), shading="gouraud", **limits)

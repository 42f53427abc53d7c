"""A picture of a solution on a slice of the domain, beside the reference and the difference from it.

Figures are made without pyplot, whose state and backend belong to the user.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

import dof
from dof.extend import enable_x64
from dof.pde import Problem
from dof.pde.notation.names import TIME, space_axes
from dof.solving.measuring.training_plots import ONE_SIZE, WIDTH

LINE_COLOUR = "#1f6f8b"
GRID, COARSE_GRID = 81, 21
"""Points along an axis: 81 make a smooth picture of 300 pixels; of 100,000 coordinates even 21² points take 350 MB."""
MANY_COORDINATES = 1000
"""From so many coordinates on the grid is coarse."""
HEIGHT_BY_PANELS = {2: 2.9, 3: 2.1}
"""Inches from top to bottom of a picture, by how many stand side by side."""
NAMED_OTHERS = 4
"""How many coordinates that are not shown fit into the title by name."""


class Slice(NamedTuple):
    """Points of a domain in which one or two coordinates vary and all others stand in the middle.

    Attributes:
        axes: The indices of the coordinates that vary.
        grids: Their values, one vector for each.
        points: (points, coordinates), the first coordinate varying fastest.
        inside: Whether each point is in the domain.
    """

    axes: tuple[int, ...]
    grids: tuple[np.ndarray, ...]
    points: np.ndarray
    inside: np.ndarray


@rc_context(ONE_SIZE)
def plot_solution(problem: Problem, u: Callable[[Any], Any], residual: Callable[[np.ndarray], np.ndarray]) -> Figure:
    """Of each component u, the reference if it is known, and their difference; then the size of the residual.

    Args:
        problem: The problem, with its domain and reference.
        u: The unknown functions, of points (n, coordinates).
        residual: |r| of the equation, of points inside of the domain.
    """
    cut = slice_of(problem)
    size = np.full(len(cut.points), np.nan)
    size[cut.inside] = residual(cut.points[cut.inside])
    values = np.asarray(u(cut.points)).reshape(len(cut.points), -1)
    exact = None if problem.reference is None else _exact(problem, cut.points).reshape(len(cut.points), -1)
    panels = [
        panel for row, name in enumerate(problem.equation.fields.each) for panel in _panels(values, exact, row, name)
    ]
    panels.append(("|residual| of the equation", size))
    # A row for each component, where there are several; else two in a row, which can be read on a phone.
    across = 3 if exact is not None and values.shape[1] > 1 else 2
    rows = -(-len(panels) // across)
    figure = Figure(figsize=(WIDTH, HEIGHT_BY_PANELS[across] * rows), layout="constrained")
    axes = figure.subplots(rows, across, squeeze=False).ravel()
    for axis, (title, part) in zip(axes, panels, strict=False):
        _draw(figure, axis, problem, cut, np.where(cut.inside, part, np.nan), title)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    figure.suptitle(slice_text(problem, cut.axes), color="#555555")
    return figure


def _panels(values: np.ndarray, exact: np.ndarray | None, row: int, name: str) -> list[tuple[str, np.ndarray]]:
    """Titles and values of what is shown of one component."""
    if exact is None:
        return [(name, values[:, row])]
    difference = values[:, row] - exact[:, row]
    return [(name, values[:, row]), (f"reference {name}", exact[:, row]), ("difference", difference)]


def _exact(problem: Problem, points: np.ndarray) -> np.ndarray:
    with enable_x64():
        return np.asarray(jax.jit(dof.batched(problem.exact))(points))


def _draw(figure: Any, axis: Any, problem: Problem, cut: Slice, values: np.ndarray, title: str) -> None:
    """A curve over one coordinate, or colours over two; a difference in colours that are white at zero."""
    names = [problem.equation.coordinates.each[i] for i in cut.axes]
    axis.set_title(title)
    axis.set_xlabel(names[0])
    if len(names) == 1:
        axis.plot(cut.grids[0], values, color=LINE_COLOUR)
        return
    # A difference that is zero everywhere would have the limits 0 and 0.
    (x, y), limit = cut.grids, np.nanmax(np.abs(values)) or 1.0
    is_signed = title == "difference"
    limits = {"vmin": -limit, "vmax": limit, "cmap": "RdBu_r"} if is_signed else {"cmap": "viridis"}
    drawn = axis.pcolormesh(x, y, values.reshape(len(y), len(x)), shading="gouraud", **limits)
    axis.set_ylabel(names[1])
    figure.colorbar(drawn, ax=axis, shrink=0.9)


def shown_axes(problem: Problem) -> tuple[int, ...]:
    """The indices of the coordinates that are shown: two of space if it has two, else space and time."""
    coordinates = problem.equation.coordinates
    space = space_axes(coordinates)
    time = coordinates.axes(TIME) if TIME in coordinates.names else range(0)
    return tuple(space[:2]) if len(space) > 1 else (*space, *time)


def slice_of(problem: Problem) -> Slice:
    """The slice through the middle of the domain along the coordinates that are shown."""
    low, high = problem.domain.bounds
    axes = shown_axes(problem)
    count = GRID if problem.domain.size < MANY_COORDINATES else COARSE_GRID
    grids = tuple(np.linspace(low[i], high[i], count) for i in axes)
    # The first coordinate is on the last axis of the mesh: `_draw` relies on it when it reshapes to (y, x).
    mesh = np.meshgrid(*grids)
    points = np.tile((low + high) / 2, (mesh[0].size, 1))
    for axis, part in zip(axes, mesh, strict=True):
        points[:, axis] = part.ravel()
    return Slice(axes, grids, points, problem.domain.contains(points))


def slice_text(problem: Problem, shown: tuple[int, ...]) -> str:
    """Where the coordinates that are not shown stand: by name if they are few."""
    others = problem.domain.size - len(shown)
    if others > NAMED_OTHERS:
        return f"{others} other coordinates in the middle of the domain"
    low, high = problem.domain.bounds
    names = problem.equation.coordinates.each
    return ", ".join(f"{names[i]} = {(low[i] + high[i]) / 2:.3g}" for i in range(len(names)) if i not in shown)

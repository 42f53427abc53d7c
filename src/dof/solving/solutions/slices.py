"""Slices of a domain for pictures: one or two coordinates vary, all others stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde import Problem
from dof.pde.notation.names import TIME, space_axes
from dof.solving.solutions.fixed_coordinates import as_text, middle, require_fixed

GRID, COARSE_GRID = 81, 21
"""Points along an axis: 81 make a smooth picture of 300 pixels; of 100,000 coordinates even 21² points take 350 MB."""
MANY_COORDINATES = 1000
"""From so many coordinates on the grid is coarse."""
FINE_GRID, FEW_COORDINATES = 241, 10
"""Points along an axis where a boundary goes through the picture, which is a staircase of them; only in so few
coordinates, since each point has all of them."""
NAMED_OTHERS = 4
"""How many coordinates that are not shown fit into the title by name."""


class Slice(NamedTuple):
    """Points of a domain in which one or two coordinates vary and all others stand.

    Attributes:
        axes: The indices of the coordinates that vary.
        grids: Their values, one vector for each.
        points: (points, coordinates), the first coordinate varying fastest.
        inside: Whether each point is in the domain.
        is_map: Whether two coordinates of space vary, of which one unit is as long as the other.
    """

    axes: tuple[int, ...]
    grids: tuple[np.ndarray, ...]
    points: np.ndarray
    inside: np.ndarray
    is_map: bool = False


def slice_of(problem: Problem, **fixed: Any) -> Slice:
    """The slice along the coordinates that are shown; others are in the middle of the domain, or where `fixed` says."""
    axes, is_map = shown_axes(problem, fixed)
    cut = _slice(problem, axes, GRID if problem.domain.size < MANY_COORDINATES else COARSE_GRID, fixed)
    if len(axes) == 2 and problem.domain.size <= FEW_COORDINATES and not cut.inside.all():
        cut = _slice(problem, axes, FINE_GRID, fixed)
    if fixed and not cut.inside.any():
        found, fix = f"asks for {as_text(fixed)}, where no point of the domain is", f"plot({middle(problem, fixed)})"
        raise ArgumentError(describe("plot", found, "values inside of the domain", fix))
    return cut._replace(is_map=is_map)


def slices_of(problem: Problem, **fixed: Any) -> tuple[Slice, ...]:
    """What a picture shows: one slice, or of two coordinates of space those at start, middle and end of time."""
    require_fixed("plot", problem, fixed)
    if TIME not in problem.equation.coordinates.names or TIME in fixed:
        return (slice_of(problem, **fixed),)
    time, (axes, is_map) = problem.named_domain.time, shown_axes(problem, fixed)
    if time in axes or not is_map:
        return (slice_of(problem, **fixed),)
    start, end = problem.named_domain.ends(time)
    return tuple(slice_of(problem, **{**fixed, TIME: t}) for t in (start, (start + end) / 2, end))


def shown_axes(problem: Problem, fixed: Mapping[str, Any]) -> tuple[tuple[int, ...], bool]:
    """The indices of the coordinates that are shown, and whether these are two of space.

    Two of space if two of it vary, else space and time, else what there is.
    """
    coordinates = problem.equation.coordinates
    standing = {coordinates.axis_of[name] for name in fixed}
    space = [axis for axis in space_axes(coordinates) if axis not in standing]
    if len(space) > 1:
        return (space[0], space[1]), True
    time = [axis for axis in coordinates.axes(TIME) if axis not in standing] if TIME in coordinates.names else []
    rest = [axis for axis in range(coordinates.count) if axis not in standing]
    return tuple([*space, *time] or rest[:2]), False


def slice_text(problem: Problem, cuts: Sequence[Slice], fixed: Mapping[str, Any]) -> str:
    """Where the coordinates that are not shown stand: by name if they are few."""
    shown_ones = {*cuts[0].axes, *([problem.named_domain.time] if len(cuts) > 1 else [])}
    others = problem.domain.size - len(shown_ones)
    if others > NAMED_OTHERS:
        stand = [name for name in fixed if len(cuts) == 1 or name != TIME]
        said = f"{others - len(stand)} other coordinates in the middle of the domain"
        return ", ".join([*(f"{name} = {fixed[name]:.3g}" for name in stand), said])
    names, point = problem.equation.coordinates.each, cuts[0].points[0]
    return ", ".join(f"{names[i]} = {point[i]:.3g}" for i in range(len(names)) if i not in shown_ones)


def _slice(problem: Problem, axes: tuple[int, ...], count: int, fixed: Mapping[str, Any]) -> Slice:
    low, high = problem.domain.bounds
    grids = tuple(np.linspace(low[i], high[i], count) for i in axes)
    # The first coordinate is on the last axis of the mesh: pictures rely on it when they reshape to (y, x).
    mesh = np.meshgrid(*grids)
    points = np.tile((low + high) / 2, (mesh[0].size, 1))
    for name, value in fixed.items():
        points[:, problem.equation.coordinates.axis_of[name]] = value
    for axis, part in zip(axes, mesh, strict=True):
        points[:, axis] = part.ravel()
    return Slice(axes, grids, points, problem.domain.contains(points))

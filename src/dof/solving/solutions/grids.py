"""Values of a function on a grid over a domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.problem import Problem
from dof.solving.solutions.fixed_coordinates import require_fixed

MOST_AXES = 3
"""Coordinates along which a grid may vary: with a fourth, 64 points along each are 16 million."""


class Grid(NamedTuple):
    """Values on a grid.

    Attributes:
        axes: The values along each coordinate that varies, by its name.
        values: (points along the first, along the second, …), with a last axis for several components; nan outside of
            the domain.
    """

    axes: dict[str, np.ndarray]
    values: np.ndarray


def grid_of(problem: Problem, function: Callable[[np.ndarray], Any], points: Any, fixed: Mapping[str, Any]) -> Grid:
    """A function of points (n, coordinates) on a grid over the domain of a problem.

    Args:
        problem: With the coordinates and the domain.
        function: Of many points.
        points: Along each coordinate that varies.
        fixed: Values of coordinates that do not, by name.
    """
    names, (low, high) = problem.equation.coordinates.each, problem.domain.bounds
    if not isinstance(points, int | np.integer) or points < 2:
        raise ArgumentError(
            describe("points", f"is {shown(points)}", "how many along each axis, from 2 on", "grid(64)")
        )
    require_fixed("grid", problem, fixed)
    varying = [k for k, name in enumerate(names) if name not in fixed]
    if len(varying) > MOST_AXES:
        expected, fix = f"one to {MOST_AXES} that vary of {', '.join(names[:9])}", f"grid({names[-1]}=0.5)"
        raise ArgumentError(describe("grid", f"leaves {len(varying)} coordinates", expected, fix))
    axes = {names[k]: np.linspace(low[k], high[k], points) for k in varying}
    mesh = np.stack(np.meshgrid(*axes.values(), indexing="ij"), axis=-1)
    at = np.empty((points ** len(varying), len(names)))
    at[:, varying] = mesh.reshape(-1, len(varying))
    for name, value in fixed.items():
        at[:, names.index(name)] = value
    values = np.asarray(function(at))
    values = np.where(problem.domain.contains(at).reshape(-1, *[1] * (values.ndim - 1)), values, np.nan)
    return Grid(axes, values.reshape(*mesh.shape[:-1], *values.shape[1:]))

"""Coordinates that do not vary in a plot or a grid, given by name, as t=0.5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.problem import Problem


def require_fixed(called: str, problem: Problem, fixed: Mapping[str, Any]) -> None:
    """Refuse names that are no coordinates, values that are no numbers, and a point, in which nothing varies.

    Args:
        called: The user's call, "plot" or "grid".
        problem: With the coordinates.
        fixed: Values of coordinates by name.
    """
    coordinates = problem.equation.coordinates
    fix = f"{called}({middle(problem, {coordinates.each[-1]: 0.0})})"
    for name, value in fixed.items():
        if name not in coordinates.axis_of:
            raise ArgumentError(describe(called, f"has no coordinate {name}", f"some of {coordinates}", fix))
        if np.ndim(value):
            each = f"[solution.{called}({name}=value) for value in values]"
            raise ArgumentError(describe(name, f"has the shape {np.shape(value)}", "one number", each))
        if np.asarray(value).dtype.kind not in "iuf" or not np.isfinite(value):
            raise ArgumentError(describe(name, f"is {shown(value)}", "a number", fix))
    if len(fixed) == coordinates.count:
        raise ArgumentError(describe(called, "leaves no coordinate that varies", "one at least", fix))


def middle(problem: Problem, names: Mapping[str, Any]) -> str:
    """Arguments for the coordinates with these names: the middle of the domain."""
    low, high = problem.domain.bounds
    axes = {name: problem.equation.coordinates.axis_of[name] for name in names}
    return as_text({name: (low[axis] + high[axis]) / 2 for name, axis in axes.items()})


def as_text(fixed: Mapping[str, Any]) -> str:
    """Values by name as arguments, "x=0.5, t=1"."""
    return ", ".join(f"{name}={value:.4g}" for name, value in fixed.items())

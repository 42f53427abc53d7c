"""Refuses a reference that is not finite, or zero everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.problem import Problem
from dof.solving.point_in_words import place


def require_numbers(values: Any, points: np.ndarray, problem: Problem) -> None:
    """Refuse a reference that is no number at some of the points where the error is measured, or zero at all."""
    is_finite = np.isfinite(np.asarray(values)).reshape(len(points), -1).all(axis=1)
    fix = "a reference with a value at each point inside of the domain, or none"
    if not is_finite.all():
        first = place(points[~is_finite][0], problem.equation.coordinates.each)
        found = f"is no number at {(~is_finite).sum()} of {len(points)} points, the first at {first}"
        raise ArgumentError(describe("reference", found, "numbers", fix))
    if not np.any(values):
        found = "is zero everywhere, so that there is no error relative to it"
        raise ArgumentError(describe("reference", found, "a function that is not zero", "reference=None"))

"""Points of unions, intersections and differences: candidates from the shapes that they are made of.

Candidates of the inside are in proportion to the volumes of the shapes, those of the boundary to their areas. A point
of a boundary is kept if the result is on one side of it and not on the other; the normal points to the side without.
What is kept is evenly distributed, whatever the sizes of the kept pieces are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import qmc

from dof.pde.geometry.domain import Domain, chosen_by

MEASURED, MEASURED_NUMBERS = 2**16, 2**22
"""Candidates from which volume and area are found, in few dimensions to about 10⁻⁴; in many dimensions fewer, which fit
into 32 MB. How points are distributed does not depend on them."""
SOBOL_DIMENSIONS = 50
"""Beyond so many dimensions Sobol numbers measure no better than random ones, and take longer."""

Candidates = tuple[tuple[np.ndarray, ...], np.ndarray]
"""Arrays with a row for each candidate, and which of them are kept."""
Contains = Callable[[np.ndarray], np.ndarray]


def inside_candidates(filling: Sequence[Domain], contains: Contains, unit: np.ndarray) -> Candidates:
    """Points (n, size) of shapes that cover the result; the last number of each row chooses the shape.

    Args:
        filling: The shapes.
        contains: Whether the result contains points.
        unit: Uniform numbers (n, 1 + the most that a shape takes).
    """
    log_volumes = np.array([shape.log_volume for shape in filling])
    chosen = chosen_by(np.exp(log_volumes - log_volumes.max()), unit[:, -1])
    points, good = np.empty((len(unit), filling[0].size)), np.empty(len(unit), bool)
    for k, shape in enumerate(filling):
        here = np.flatnonzero(chosen == k)
        points[here] = own = shape.inside(unit[here, : shape.uniforms])
        # A point that several shapes contain counts for the first of them.
        good[here] = contains(own) & ~_any(earlier.contains(own) for earlier in filling[:k])
    return (points,), good


def edge_candidates(
    shapes: Sequence[Domain], shares: np.ndarray, contains: Contains, step: float, unit: np.ndarray
) -> Candidates:
    """Points and normals (n, size) of the boundaries of shapes; the last number of each row chooses the shape.

    Args:
        shapes: All shapes that the result is made of.
        shares: The area of each, in any unit.
        contains: Whether the result contains points.
        step: How far from the boundary both sides of a point are looked at.
        unit: Uniform numbers (n, 1 + the most that a boundary takes).
    """
    chosen = chosen_by(shares, unit[:, -1])
    points, normals = np.empty((2, len(unit), shapes[0].size))
    good = np.empty(len(unit), bool)
    for k, shape in enumerate(shapes):
        here = np.flatnonzero(chosen == k)
        if not len(here):  # it may have no boundary to make points of
            continue
        points[here], out = shape.edge(unit[here, : shape.edge_uniforms])
        before, after = points[here] - step * out, points[here] + step * out
        was_in, is_in = contains(before), contains(after)
        normals[here] = np.where(is_in[:, None], -out, out)
        # A piece that several shapes have counts for the first of them.
        shared = _any(s.contains(before) != s.contains(after) for s in shapes[:k] if s.area_per_volume)
        good[here] = (was_in != is_in) & ~shared
    return (points, normals), good


def even_numbers(size: int) -> np.ndarray:
    """Uniform numbers (candidates, size) that are always the same."""
    if size <= SOBOL_DIMENSIONS:
        return qmc.Sobol(size, rng=np.random.default_rng(0)).random(MEASURED)
    return np.random.default_rng(0).random((min(MEASURED, 1 + MEASURED_NUMBERS // size), size))


def _any(masks: Any) -> Any:
    """Where any of several masks is true; False if there are none."""
    found: Any = np.False_
    for mask in masks:
        found = found | mask
    return found

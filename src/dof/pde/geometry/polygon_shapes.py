"""Polygons in the plane, by Shapely: whether they are simple, triangles that fill them, points in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dof.errors import DofError


def cross(a: np.ndarray, b: np.ndarray) -> Any:
    """a₀ b₁ − a₁ b₀ of vectors on the last axis."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def is_simple(vertices: np.ndarray) -> bool:
    """Whether the closed line through the vertices (n, 2) neither crosses nor touches itself."""
    return bool(_shapely().Polygon(vertices).is_valid)


def triangles_of(vertices: np.ndarray) -> np.ndarray:
    """Triangles (m, 3, 2) that fill a simple polygon (n, 2), their corners around to the left."""
    shapely = _shapely()
    parts = shapely.get_parts(shapely.constrained_delaunay_triangles(shapely.Polygon(vertices)))
    corners = shapely.get_coordinates(parts).reshape(-1, 4, 2)[:, :3]  # the first corner comes again as the last one
    is_left = cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) > 0
    return np.where(is_left[:, None, None], corners, corners[:, ::-1])


def are_within(vertices: np.ndarray, points: np.ndarray, tolerance: float) -> np.ndarray:
    """Whether points (…, 2) are in a simple polygon, or no farther from it than the tolerance."""
    shapely = _shapely()
    polygon = shapely.Polygon(vertices)
    shapely.prepare(polygon)
    return shapely.dwithin(polygon, shapely.points(points), tolerance)


def _shapely() -> Any:
    try:
        import shapely
    except ModuleNotFoundError:
        raise DofError('`pde.Polygon` needs shapely.\n  Fix: pip install "dof[solve]"') from None
    return shapely

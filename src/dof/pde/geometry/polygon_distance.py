"""A smooth function that is zero on the edges of a polygon, positive inside and negative outside.

A polygon is its convex hull without the pockets between hull and boundary, which are polygons themselves. Inside of the
hull means to the left of all its edges. So the function is a smooth conjunction of lines and of what lies outside of
pockets. The lid of a pocket is an edge of the hull, but none of the polygon; it is left out on both sides. A pocket of
two edges has one corner that points inwards, whose function is in `corners`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from dof.errors import ArgumentError, describe
from dof.pde.geometry.corners import Corner, corner_between
from dof.pde.geometry.polygon_shapes import cross
from dof.pde.geometry.r_functions import conjunction

STRAIGHT = 1e-12
"""How far from a line, relative to its length, a corner counts as on it: the rounding of float64."""


@dataclass(frozen=True)
class Line:
    """offset + direction · z, positive to the left; `edges` are the polygon's edges on it."""

    direction: np.ndarray
    offset: float
    edges: tuple[int, ...]


Region = tuple[Any, ...]
"""Lines to the left of which a region lies, and pockets outside of which it lies."""


def region_of(vertices: np.ndarray, edges: np.ndarray, is_pocket: bool = False) -> Region:
    """The region of a polygon.

    Args:
        vertices: (n, 2), around to the left.
        edges: The number of the edge that begins at each vertex.
        is_pocket: Whether the edge from the last vertex to the first is a lid.
    """
    n, corners = len(vertices), sorted(ConvexHull(vertices).vertices.tolist())
    parts: list[Any] = []
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        chain = np.arange(start, end + 1 if end > start else end + n + 1) % n
        if is_pocket and len(chain) == 2 and start == n - 1:
            continue
        if np.abs(_heights(vertices[chain])).max() <= STRAIGHT:
            parts.append(_line(vertices, start, end, tuple(edges[chain[:-1]].tolist())))
        else:
            # Around the pocket to the left means along the boundary backwards; edge k is from k to k + 1.
            parts.append(region_of(vertices[chain[::-1]], np.roll(edges[chain[::-1]], -1), True))
    return tuple(parts)


def _heights(chain: np.ndarray) -> np.ndarray:
    """How far corners are from the line between the first and the last, relative to its length."""
    along = chain[-1] - chain[0]
    return cross(along, chain - chain[0]) / (along @ along)


def _line(vertices: np.ndarray, start: int, end: int, edges: tuple[int, ...]) -> Line:
    along = vertices[end] - vertices[start]
    direction = np.array([-along[1], along[0]])
    heights = (vertices - vertices[start]) @ direction
    # One at half of the width of the polygon across the line.
    scale = 2 / heights.max()
    return Line(direction * scale, float(-direction @ vertices[start] * scale), edges)


def signed_distance(region: Region, z: Any, kept: np.ndarray, rounded: bool) -> Any:
    """The function of one point z, which is zero on the edges that are kept; `rounded` as of `conjunction`.

    Raises:
        ArgumentError: If only some edges of a pocket, or on a line, are kept: nothing smooth is zero on them only.
    """
    parts = [part for part in region if kept[_edges(part)].any()]
    for part in parts:
        if not kept[_edges(part)].all():
            found, fix = "is asked for on some edges of a dent of a polygon", "pde.dirichlet(0.0, hard=False)"
            raise ArgumentError(describe("hard", found, "all edges of the dent, or edges of the convex hull", fix))
    return conjunction([_value(part, z, kept, rounded) for part in parts], rounded)


def _value(part: Any, z: Any, kept: np.ndarray, rounded: bool) -> Any:
    if isinstance(part, Line):
        return part.direction @ z + part.offset
    corner = corner_of(part) if rounded else None
    return -signed_distance(part, z, kept, not rounded) if corner is None else corner.functions(z)[0]


def corner_of(pocket: Region) -> Corner | None:
    """The corner of a pocket with two sides; None for a pocket with more."""
    if not (len(pocket) == 2 and all(isinstance(part, Line) for part in pocket)):
        return None
    sides = np.stack([part.direction for part in pocket])
    place = np.linalg.solve(sides, [-part.offset for part in pocket])
    # A line is one at half of the width of the pocket across it.
    return corner_between(sides, place, float(2 / np.linalg.norm(sides, axis=1).min()))


def _edges(part: Any) -> list[int]:
    return list(part.edges) if isinstance(part, Line) else [edge for inner in part for edge in _edges(inner)]

"""Polygons and triangles in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.geometry import polygon_distance
from dof.pde.geometry.corners import Corner
from dof.pde.geometry.domain import Domain, chosen_by, numbers
from dof.pde.geometry.polygon_distance import STRAIGHT, corner_of, region_of
from dof.pde.geometry.polygon_shapes import are_within, cross, is_simple, triangles_of

FIX = "pde.Polygon([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])"


class Polygon(Domain):
    """The inside of a closed line in the plane that does not cross itself.

    Args:
        vertices: The corners (n, 2), in their order around, to either side.
        names: A name for each edge, for conditions on it; the first edge goes from the first corner to the second.

    Raises:
        ArgumentError: If there are fewer than three corners, or the line crosses or touches itself.

    Examples:
        >>> from dof import pde
        >>> corner = pde.Polygon([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
        >>> print(round(corner.volume, 12), round(corner.area, 12))  # the area, and the length of the boundary
        3.0 8.0
    """

    size, uniforms, edge_uniforms = 2, 3, 2

    def __init__(self, vertices: Any, names: Sequence[str] = ()) -> None:
        given = numbers(type(self).__name__, vertices, FIX)
        _require_corners(given, names)
        is_left = _doubled_area(given) > 0
        # Backwards edge k is the one that began at corner n − 2 − k; the last one stays the last.
        self.vertices = given if is_left else given[::-1]
        self.edge_names = tuple(names if is_left else [*names[-2::-1], *names[-1:]]) or ("",) * len(given)
        self.ends = np.roll(self.vertices, -1, axis=0)
        self.lengths = np.linalg.norm(self.ends - self.vertices, axis=1)
        self.piece_count, self.kept = len(given), np.ones(len(given), bool)
        self._extent = float(np.ptp(given, axis=0).max())
        self.triangles = triangles_of(self.vertices)
        self.triangle_areas = cross(*np.moveaxis(self.triangles[:, 1:] - self.triangles[:, :1], 1, 0)) / 2
        self.region = region_of(self.vertices, np.arange(len(given)))
        volume = float(self.triangle_areas.sum())
        self.log_volume, self.area_per_volume = float(np.log(volume)), float(self.lengths.sum() / volume)

    def named(self, name: str) -> Domain:
        """The polygon with one name for all edges."""
        new = super().named(name)
        assert isinstance(new, Polygon)
        new.edge_names = (name,) * self.piece_count
        return new

    def piece_names(self) -> tuple[str, ...]:
        """The names of the edges."""
        return self.edge_names

    def with_pieces(self, kept: np.ndarray) -> Domain:
        """The polygon with some of its edges."""
        new = copy(self)
        new.kept = kept & self.kept
        new.area_per_volume = float(self.lengths[new.kept].sum() / self.volume)
        return new

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """The last number chooses a triangle, by its area; the others are a point of it."""
        a, b, c = np.moveaxis(self.triangles[chosen_by(self.triangle_areas, unit[:, 2])], 1, 0)
        # √ makes points even: the share of a triangle within r of the corner a is r².
        r, s = np.sqrt(unit[:, :1]), unit[:, 1:2]
        return (1 - r) * a + r * (1 - s) * b + r * s * c

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses an edge, by its length."""
        k = chosen_by(np.where(self.kept, self.lengths, 0.0), unit[:, 1])
        along = (self.ends - self.vertices)[k]
        normals = np.stack([along[:, 1], -along[:, 0]], axis=1) / self.lengths[k][:, None]
        return self.vertices[k] + unit[:, :1] * along, normals

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether a point is inside, or on an edge up to rounding."""
        return are_within(self.vertices, points, STRAIGHT * self._extent)

    def signed_distance(self, z: Any) -> Any:
        """See `polygon_distance`."""
        return polygon_distance.signed_distance(self.region, z, self.kept, True)

    def outside_distance(self, z: Any) -> Any:
        """The same with the other sign, and with corners as they are: seen from outside they point inwards."""
        return -polygon_distance.signed_distance(self.region, z, self.kept, False)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Those of pockets with two edges."""
        pockets = [part for part in self.region if isinstance(part, tuple)]
        return tuple(corner for pocket in pockets if (corner := corner_of(pocket)) is not None)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest coordinates of the corners."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)


class Triangle(Polygon):
    """The inside of a triangle.

    Args:
        a: A corner (x, y).
        b: The second corner.
        c: The third corner.

    Examples:
        >>> from dof import pde
        >>> print(round(pde.Triangle([0, 0], [2, 0], [0, 3]).volume, 12))
        3.0
    """

    def __init__(self, a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> None:
        super().__init__([a, b, c])


def _doubled_area(vertices: np.ndarray) -> float:
    return float(cross(vertices, np.roll(vertices, -1, axis=0)).sum())


def _require_corners(vertices: np.ndarray, names: Sequence[str]) -> None:
    is_list = vertices.ndim == 2 and vertices.shape[1] == 2 and len(vertices) > 2 and np.isfinite(vertices).all()
    if not is_list or (vertices == np.roll(vertices, 1, axis=0)).all(axis=1).any():
        found = f"has the shape {vertices.shape}" if vertices.ndim != 2 else f"are {vertices.tolist()}"
        raise ArgumentError(describe("vertices", found, "three corners (x, y) or more, neighbours different", FIX))
    if np.linalg.matrix_rank(vertices - vertices[0], STRAIGHT * np.ptp(vertices, axis=0).max()) < 2:
        raise ArgumentError(describe("vertices", "are on one line", "corners around an area", FIX))
    if not is_simple(vertices):
        found = f"are {len(vertices)} points: the boundary crosses or touches itself"
        raise ArgumentError(describe("vertices", found, "a simple line", FIX))
    if isinstance(names, str) or len(names) not in (0, len(vertices)):
        found = f"is {shown(names)}" if isinstance(names, str) else f"has {len(names)} names"
        expected = f"a list of {len(vertices)}, one for each edge"
        raise ArgumentError(describe("names", found, expected, 'pde.Triangle([0, 0], [1, 0], [0, 1]).named("wall")'))

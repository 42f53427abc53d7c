"""Unions, intersections and differences of domains, with the boundary of the result."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.geometry.box_cells import BoxesAround, are_boxes, boxes_around
from dof.pde.geometry.combination_distance import CombinedDistance
from dof.pde.geometry.combination_points import Candidates, edge_candidates, even_numbers, inside_candidates
from dof.pde.geometry.corners import Corner
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.rejection import by_rejection

MEMBER: dict[str, Callable[[Any, Any], Any]] = {
    "union": lambda a, b: a | b,
    "intersection": lambda a, b: a & b,
    "difference": lambda a, b: a & ~b,
}
"""Whether a point is in the result, from whether it is in each of two domains."""
BESIDE = 1e-9
"""How far from the boundary, relative to the extent, both sides of a point are looked at: more than rounding and the
tolerance of `contains`, less than any detail that is meant."""
SEAM_POINTS = 4096
"""Points at which it is seen whether boundaries coincide: a seam of a thousandth is missed once in 60 times."""


class Combination(Domain):
    """The union, the intersection or the difference of two domains of the same space.

    Args:
        first: A domain.
        second: Another one with the same coordinates.
        kind: "union", "intersection" or "difference".

    Raises:
        ArgumentError: If the coordinates differ, or nothing is left.
    """

    def __init__(self, first: Domain, second: Domain, kind: str) -> None:
        self.first, self.second, self.kind, self.size = first, second, kind, first.size
        require_same_space(first, second, kind)
        self.uniforms = 1 + max(shape.uniforms for shape in self.filling)
        self.edge_uniforms = 1 + max(shape.edge_uniforms for shape in self.shapes)
        self.piece_count = first.piece_count + second.piece_count
        self._measure()

    def _measure(self) -> None:
        """Volume and area, from the shares of candidates that are accepted."""
        share = self._candidates(even_numbers(self.uniforms))[1].mean()
        if not share:
            found = f"of {type(self.first).__name__} and {type(self.second).__name__} has no points"
            raise ArgumentError(
                describe(self.kind, found, "domains that overlap", "pde.Ball([0, 0]) & pde.Box([0, 0], [1, 1])")
            )
        self.log_volume = float(np.logaddexp.reduce([shape.log_volume for shape in self.filling]) + np.log(share))
        areas = self._edge_shares
        kept = self._edge_candidates(even_numbers(self.edge_uniforms))[1].mean() if areas.any() else 0.0
        # Shares are areas divided by the volume of the first shape.
        self.area_per_volume = float(areas.sum() * kept * np.exp(self.shapes[0].log_volume - self.log_volume))

    @cached_property
    def shapes(self) -> tuple[Domain, ...]:
        """All domains that it is made of and that are no combinations themselves."""
        return tuple(chain(*(part.shapes if isinstance(part, Combination) else (part,) for part in self._both)))

    @cached_property
    def filling(self) -> tuple[Domain, ...]:
        """Shapes that cover the result together: of an intersection the smaller ones, of a difference the first."""
        found = [part.filling if isinstance(part, Combination) else (part,) for part in self._both]
        volumes = [np.logaddexp.reduce([shape.log_volume for shape in part]) for part in found]
        if self.kind == "intersection":
            return found[int(np.argmin(volumes))]
        return found[0] + found[1] if self.kind == "union" else found[0]

    @property
    def _both(self) -> tuple[Domain, Domain]:
        return self.first, self.second

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """The last number chooses a shape, by its volume; points outside of the result are replaced by random ones."""
        return by_rejection(self._candidates, unit, self._refusal)[0]

    def _candidates(self, unit: np.ndarray) -> Candidates:
        return inside_candidates(self.filling, self.contains, unit)

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses a shape, by its area; what is no boundary of the result is replaced."""
        points, normals = by_rejection(self._edge_candidates, unit, self._refusal)
        return points, normals

    @cached_property
    def _edge_shares(self) -> np.ndarray:
        """The area of each shape, divided by the volume of the first one."""
        logs = np.array([shape.log_volume - self.shapes[0].log_volume for shape in self.shapes])
        return np.exp(logs) * np.array([shape.area_per_volume for shape in self.shapes])

    def _edge_candidates(self, unit: np.ndarray) -> Candidates:
        return edge_candidates(self.shapes, self._edge_shares, self.contains, self._step, unit)

    @property
    def _step(self) -> float:
        """How far from the boundary both sides of a point are looked at."""
        low, high = self.bounds
        return BESIDE * float((high - low).max())

    def _refusal(self, missing: int) -> ArgumentError:
        found, expected = f"has hardly any points: {missing} of them were not found", "domains that overlap more"
        return ArgumentError(describe(self.kind, found, expected, "pde.Ball([0, 0]) & pde.Box([0, 0], [1, 1])"))

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether a point is in the result; on the boundary it may be either."""
        return MEMBER[self.kind](self.first.contains(points), self.second.contains(points))

    def distance(self, z: Any) -> Any:
        """See `combination_distance`."""
        return self._distance.distance(z)

    def signed_distance(self, z: Any) -> Any:
        """See `combination_distance`."""
        return self._distance.signed_distance(z)

    @cached_property
    def _distance(self) -> CombinedDistance:
        return CombinedDistance(self.first, self.second, self.kind, self.has_seam, self._around)

    @cached_property
    def _around(self) -> BoxesAround | None:
        return boxes_around(self, self.shapes) if are_boxes(self.shapes) else None

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Those of a combination of boxes; else those of the first domain."""
        return self._around.corners if self._around else self.first.corners

    @cached_property
    def has_seam(self) -> bool:
        """Whether both domains have a piece of boundary in common that is inside or on the boundary of the result."""
        if not self.second.area_per_volume:
            return False
        points, normals = self.second.edge(np.random.default_rng(1).random((SEAM_POINTS, self.second.edge_uniforms)))
        before, after = points - self._step * normals, points + self._step * normals
        is_shared = self.first.contains(before) != self.first.contains(after)
        return bool((is_shared & (self.contains(before) | self.contains(after))).any())

    def in_window(self, start: float, end: float) -> Domain:
        """The same with time from `start` to `end`."""
        return Combination(self.first.in_window(start, end), self.second.in_window(start, end), self.kind)

    def named(self, name: str) -> Domain:
        """The same with one name for all of its boundary."""
        return Combination(self.first.named(name), self.second.named(name), self.kind)

    def piece_names(self) -> tuple[str, ...]:
        """Those of both domains."""
        return self.first.piece_names() + self.second.piece_names()

    def with_pieces(self, kept: np.ndarray) -> Domain:
        """The same with some pieces of either boundary."""
        n = self.first.piece_count
        return Combination(self.first.boundary_part(kept[:n]), self.second.boundary_part(kept[n:]), self.kind)

    def has_face(self, axis: int, value: float) -> bool:
        """Whether all shapes have the same interval for this coordinate, so that it can be set to any value of it."""
        parts = [shape.part_at(axis) for shape in self.shapes]
        same = all(p.size == 1 and np.array_equal(p.bounds, parts[0].bounds) for p in parts)
        return same and all(shape.has_face(axis, value) for shape in self.shapes)

    def part_at(self, axis: int) -> Domain:
        """The factor of the first domain that has coordinate `axis`."""
        return self.first.part_at(axis)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds of the first domain; of a union those of both, of an intersection what they have in common."""
        (low, high), (other_low, other_high) = (part.bounds for part in self._both)
        if self.kind == "union":
            return np.minimum(low, other_low), np.maximum(high, other_high)
        return (low, high) if self.kind == "difference" else (np.maximum(low, other_low), np.minimum(high, other_high))

    @property
    def is_time(self) -> np.ndarray:
        """Which coordinates are times."""
        return self.first.is_time

    @property
    def is_parameter(self) -> np.ndarray:
        """Which coordinates are parameters."""
        return self.first.is_parameter


def require_same_space(first: Domain, second: Domain, kind: str) -> None:
    """Refuse domains with other coordinates."""
    if first.size != second.size:
        found, expected = f"is of {second.size} coordinates with {first.size}", "domains with the same coordinates"
    elif (first.is_time != second.is_time).any() or (first.is_parameter != second.is_parameter).any():
        found, expected = "has a time or a parameter where the other domain has none", "the same kinds of coordinates"
    else:
        return
    raise ArgumentError(
        describe(kind, found, expected, "(pde.Box([0, 0], [1, 1]) - pde.Ball([0, 0], 0.5)) * pde.Time(0, 1)")
    )

"""Unions, intersections and differences of domains, with the boundary of the result.

Points of the boundary are candidates from the boundaries of all shapes that the combination is made of, in proportion
to their areas. One is kept if the result is on one side of it and not on the other; the normal points to the side
without. What is kept is evenly distributed, whatever the areas of the kept pieces are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, reduce
from itertools import chain
from operator import mul
from typing import Any

import numpy as np
from scipy.stats import qmc

from dof.errors import ArgumentError, describe
from dof.pde.geometry.box_cells import are_boxes, boxes_around
from dof.pde.geometry.difference import Difference, lies_inside
from dof.pde.geometry.domain import Domain, chosen_by
from dof.pde.geometry.product import Product
from dof.pde.geometry.r_functions import bounded, conjunction, disjunction
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
MEASURED, MEASURED_NUMBERS = 2**16, 2**22
"""Candidates from which volume and area are found, in few dimensions to about 10⁻⁴; in many dimensions fewer, which fit
into 32 MB. How points are distributed does not depend on them."""
SEAM_POINTS = 4096
"""Points at which it is seen whether boundaries coincide: a seam of a thousandth is missed once in 60 times."""
SOBOL_DIMENSIONS = 50
"""Beyond so many dimensions Sobol numbers measure no better than random ones, and take longer."""


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
        _require_same_space(first, second, kind)
        self.uniforms = 1 + max(shape.uniforms for shape in self.filling)
        self.edge_uniforms = 1 + max(shape.edge_uniforms for shape in self.shapes)
        self.piece_count = first.piece_count + second.piece_count
        self._measure()

    def _measure(self) -> None:
        """Volume and area, from the shares of candidates that are accepted."""
        share = self._candidates(_even_numbers(self.uniforms))[1].mean()
        if not share:
            found = f"of {type(self.first).__name__} and {type(self.second).__name__} has no points"
            raise ArgumentError(
                describe(self.kind, found, "domains that overlap", "pde.Ball([0, 0]) & pde.Box([0, 0], [1, 1])")
            )
        self.log_volume = float(np.logaddexp.reduce([shape.log_volume for shape in self.filling]) + np.log(share))
        areas = self._edge_shares
        kept = self._edge_candidates(_even_numbers(self.edge_uniforms))[1].mean() if areas.any() else 0.0
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

    def _candidates(self, unit: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        log_volumes = np.array([shape.log_volume for shape in self.filling])
        chosen = chosen_by(np.exp(log_volumes - log_volumes.max()), unit[:, -1])
        points, good = np.empty((len(unit), self.size)), np.empty(len(unit), bool)
        for k, shape in enumerate(self.filling):
            here = np.flatnonzero(chosen == k)
            points[here] = own = shape.inside(unit[here, : shape.uniforms])
            # A point that several shapes contain counts for the first of them.
            good[here] = self.contains(own) & ~_any(earlier.contains(own) for earlier in self.filling[:k])
        return (points,), good

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses a shape, by its area; what is no boundary of the result is replaced."""
        points, normals = by_rejection(self._edge_candidates, unit, self._refusal)
        return points, normals

    @cached_property
    def _edge_shares(self) -> np.ndarray:
        """The area of each shape, divided by the volume of the first one."""
        logs = np.array([shape.log_volume - self.shapes[0].log_volume for shape in self.shapes])
        return np.exp(logs) * np.array([shape.area_per_volume for shape in self.shapes])

    def _edge_candidates(self, unit: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
        chosen = chosen_by(self._edge_shares, unit[:, -1])
        points, normals = np.empty((2, len(unit), self.size))
        good = np.empty(len(unit), bool)
        for k, shape in enumerate(self.shapes):
            here = np.flatnonzero(chosen == k)
            if not len(here):  # it may have no boundary to make points of
                continue
            points[here], out = shape.edge(unit[here, : shape.edge_uniforms])
            before, after = self._beside(points[here], out)
            was_in, is_in = self.contains(before), self.contains(after)
            normals[here] = np.where(is_in[:, None], -out, out)
            # A piece that several shapes have counts for the first of them.
            shared = _any(s.contains(before) != s.contains(after) for s in self.shapes[:k] if s.area_per_volume)
            good[here] = (was_in != is_in) & ~shared
        return (points, normals), good

    def _beside(self, points: np.ndarray, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points a little inside and a little outside of points of a shape's boundary."""
        low, high = self.bounds
        step = BESIDE * (high - low).max() * normals
        return points - step, points + step

    def _refusal(self, missing: int) -> ArgumentError:
        found, expected = f"has hardly any points: {missing} of them were not found", "domains that overlap more"
        return ArgumentError(describe(self.kind, found, expected, "pde.Ball([0, 0]) & pde.Box([0, 0], [1, 1])"))

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether a point is in the result; on the boundary it may be either."""
        return MEMBER[self.kind](self.first.contains(points), self.second.contains(points))

    def distance(self, z: Any) -> Any:
        """Products for an intersection and a difference, a smooth disjunction for a union.

        Raises:
            ArgumentError: If both domains share a piece of their boundaries, where products have a double zero.
        """
        if self.has_seam:
            return self._distance_of_boxes(z)
        if self.kind == "intersection":
            return self.first.distance(z) * self.second.distance(z)
        if self.kind == "difference":
            return self.first.distance(z) * self._outside_of_second(z)
        return self.signed_distance(z)

    def signed_distance(self, z: Any) -> Any:
        """The smooth conjunction or disjunction of the signed distances of both domains."""
        if self.has_seam:
            raise self._no_distance()
        a = bounded(self.first.signed_distance(z))
        if self.kind == "difference":
            return conjunction([a, self._outside_of_second(z)])
        return (disjunction if self.kind == "union" else conjunction)([a, bounded(self.second.signed_distance(z))])

    def _outside_of_second(self, z: Any) -> Any:
        return bounded(self.second.outside_distance(z)) if self.second.area_per_volume else 1.0

    def _distance_of_boxes(self, z: Any) -> Any:
        """The product of the distances to the smallest box around, and to the boxes that are missing in it."""
        if self._around is None:
            raise self._no_distance()
        axes, whole, missing = self._around
        return reduce(mul, (bounded(box.outside_distance(z[axes])) for box in missing), whole.distance(z[axes]))

    @cached_property
    def _around(self) -> Any:
        return boxes_around(self, self.shapes) if are_boxes(self.shapes) else None

    def _no_distance(self) -> ArgumentError:
        found = "is of domains that touch along a piece of their boundaries"
        fix = "domains that do not, pde.Polygon, or pde.dirichlet(0.0, hard=False)"
        return ArgumentError(describe(self.kind, found, "a distance with a simple zero on the boundary only", fix))

    @cached_property
    def has_seam(self) -> bool:
        """Whether both domains have a piece of boundary in common that is inside or on the boundary of the result."""
        if not self.second.area_per_volume:
            return False
        points, normals = self.second.edge(np.random.default_rng(1).random((SEAM_POINTS, self.second.edge_uniforms)))
        before, after = self._beside(points, normals)
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


def _even_numbers(size: int) -> np.ndarray:
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


def difference_of(whole: Domain, hole: Domain) -> Domain:
    """The points of `whole` that are not in `hole`."""
    _require_same_space(whole, hole, "difference")
    return Difference(whole, hole) if lies_inside(whole, hole) else Combination(whole, hole, "difference")


def product_of(first: Domain, second: Domain) -> Domain:
    """The product of two domains; that of a combination is the combination of products, whose areas are exact."""
    if isinstance(first, Combination):
        return Combination(first.first * second, first.second * second, first.kind)
    if isinstance(second, Combination):
        return Combination(first * second.first, first * second.second, second.kind)
    return Product(first, second)


def _require_same_space(first: Domain, second: Domain, kind: str) -> None:
    if first.size != second.size:
        found, expected = f"is of {second.size} coordinates with {first.size}", "domains with the same coordinates"
    elif (first.is_time != second.is_time).any() or (first.is_parameter != second.is_parameter).any():
        found, expected = "has a time or a parameter where the other domain has none", "the same kinds of coordinates"
    else:
        return
    raise ArgumentError(
        describe(kind, found, expected, "(pde.Box([0, 0], [1, 1]) - pde.Ball([0, 0], 0.5)) * pde.Time(0, 1)")
    )

"""Smooth functions that are zero on the boundary of a union, an intersection or a difference, and positive inside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import mul
from typing import Any

from dof.errors import ArgumentError, describe
from dof.pde.geometry.box_cells import BoxesAround
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.r_functions import bounded, conjunction, disjunction


@dataclass(frozen=True)
class CombinedDistance:
    """The distance of a combination of two domains.

    Attributes:
        first: A domain.
        second: Another one.
        kind: "union", "intersection" or "difference".
        has_seam: Whether they share a piece of their boundaries, where products have a double zero.
        around: What is outside of the combination, if it is one of boxes.
    """

    first: Domain
    second: Domain
    kind: str
    has_seam: bool
    around: BoxesAround | None

    def distance(self, z: Any) -> Any:
        """Products for an intersection and a difference, a smooth disjunction for a union.

        Raises:
            ArgumentError: If both domains share a piece of their boundaries, and are not made of boxes.
        """
        if self.has_seam or (self.around and self.around.corners):
            return self._distance_of_boxes(z)
        if self.kind == "intersection":
            return self.first.distance(z) * self.second.distance(z)
        if self.kind == "difference":
            return self.first.distance(z) * self._outside_of_second(z)
        return self.signed_distance(z)

    def signed_distance(self, z: Any) -> Any:
        """The smooth conjunction or disjunction of the signed distances of both domains."""
        if self.has_seam:
            raise self._refusal()
        a = bounded(self.first.signed_distance(z))
        if self.kind == "difference":
            return conjunction([a, self._outside_of_second(z)])
        return (disjunction if self.kind == "union" else conjunction)([a, bounded(self.second.signed_distance(z))])

    def _outside_of_second(self, z: Any) -> Any:
        return bounded(self.second.outside_distance(z)) if self.second.area_per_volume else 1.0

    def _distance_of_boxes(self, z: Any) -> Any:
        """The product of the distances to the smallest box around, and to what is missing in it."""
        if self.around is None:
            raise self._refusal()
        space = z[self.around.axes]
        boxes = [bounded(box.outside_distance(space)) for box in self.around.missing]
        corners = [corner.functions(z)[0] for corner in self.around.corners]
        return reduce(mul, [*boxes, *corners], self.around.whole.distance(space))

    def _refusal(self) -> ArgumentError:
        found = "is of domains that touch along a piece of their boundaries"
        fix = "domains that do not, pde.Polygon, or pde.dirichlet(0.0, hard=False)"
        return ArgumentError(describe(self.kind, found, "a distance with a simple zero on the boundary only", fix))

"""What every domain can do: make points of its inside and of its boundary, and say how far a point is from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe


class Domain(ABC):
    """A bounded region of space, of time, or of both.

    A domain maps uniform numbers in [0, 1) to its points, so that Sobol numbers become points that fill it evenly.

    Volumes are kept as logarithms, since the volume of a ball in 200 dimensions is no floating-point number; how
    points are divided among the parts of a boundary depends on ratios only.

    Attributes:
        size: How many coordinates a point has.
        uniforms: How many uniform numbers make a point of the inside.
        edge_uniforms: How many uniform numbers make a point of the boundary.
        log_volume: The logarithm of the volume.
        area_per_volume: The area of the boundary divided by the volume; 0 for a domain without boundary, as time.
    """

    size: int
    uniforms: int
    edge_uniforms: int
    log_volume: float
    area_per_volume: float

    @abstractmethod
    def inside(self, unit: np.ndarray) -> np.ndarray:
        """Points (n, size) of the inside from uniform numbers (n, uniforms)."""

    def collocation(self, unit: np.ndarray) -> np.ndarray:
        """Points (n, size) at which an equation is fitted: those of `inside`, or crowded where the domain says so."""
        return self.inside(unit)

    def towards_ends(self, unit: np.ndarray) -> np.ndarray:
        """Uniform numbers (n, uniforms) whose points crowd at the ends of the coordinates that have ends."""
        return unit

    @abstractmethod
    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points of the boundary and their outward unit normals, both (n, size), from (n, edge_uniforms) numbers."""

    @abstractmethod
    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether each point is inside or on the boundary."""

    @abstractmethod
    def distance(self, z: Any) -> Any:
        """A smooth function of one point: zero on the boundary, positive inside, of the order of one."""

    def distance_outside(self, z: Any) -> Any:
        """A smooth function of one point outside: zero on the boundary, positive away from it."""
        found = f"is taken out, a {type(self).__name__} in {self.size} dimensions"
        expected = "an interval or a ball, if conditions are to hold by construction"
        raise ArgumentError(describe("hole", found, expected, "pde.dirichlet(0.0, hard=False)"))

    @property
    @abstractmethod
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest value of each coordinate."""

    @property
    def is_time(self) -> np.ndarray:
        """Which coordinates are times, as a vector of truth values."""
        return np.zeros(self.size, bool)

    @property
    def volume(self) -> float:
        """The volume; 0 or infinity where it is no floating-point number."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_volume))

    @property
    def area(self) -> float:
        """The area of the boundary; 0 or infinity where it is no floating-point number."""
        return self.area_per_volume * self.volume if self.area_per_volume else 0.0

    def has_face(self, axis: int, value: float) -> bool:
        """Whether every point of the domain stays in it when its coordinate `axis` is set to `value`."""
        low, high = self.bounds
        return bool(low[axis] <= value <= high[axis])

    def part_at(self, axis: int) -> Domain:
        """The factor of a product that has coordinate `axis`; the domain itself if it is no product."""
        return self

    def __mul__(self, other: Any) -> Domain:
        """All points whose first coordinates are in this domain and whose last ones are in `other`."""
        from dof.pde.geometry.product import Product

        return Product(self, other) if isinstance(other, Domain) else NotImplemented

    def __sub__(self, other: Any) -> Domain:
        """This domain without `other`, a hole in it."""
        from dof.pde.geometry.difference import Difference

        return Difference(self, other) if isinstance(other, Domain) else NotImplemented


def chosen_by(shares: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """An index of `shares` for each uniform number, each index as often as its share of the sum."""
    # Without the last sum, which rounding may leave below 1: no number is chosen beyond the last index.
    return np.searchsorted(np.cumsum(shares)[:-1] / shares.sum(), unit, side="right")

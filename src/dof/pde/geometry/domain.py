"""What every domain can do: make points of its inside and of its boundary, and say how far a point is from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.pde.geometry.corners import Corner


class Domain(ABC):
    """A bounded region of space, of time, or of both; the base class of domains of your own.

    A domain maps uniform numbers in [0, 1) to its points, so that Sobol numbers become points that fill it evenly.
    A subclass sets the first five attributes and defines `inside`, `edge`, `contains`, `signed_distance` and `bounds`;
    products, unions, intersections and differences with other domains follow from these.

    Volumes are kept as logarithms, since the volume of a ball in 200 dimensions is no floating-point number; how
    points are divided among the parts of a boundary depends on ratios only.

    Attributes:
        size: How many coordinates a point has.
        uniforms: How many uniform numbers make a point of the inside.
        edge_uniforms: How many uniform numbers make a point of the boundary.
        log_volume: The logarithm of the volume.
        area_per_volume: The area of the boundary divided by the volume; 0 for a domain without boundary, as time.
        name: Of its boundary, for conditions on it (see `named`).
        piece_count: Of how many smooth pieces the boundary is made.

    Examples:
        >>> import numpy as np
        >>> from dof import pde
        >>> half = pde.Ball([0, 0]) & pde.Box([0, -1], [1, 1])
        >>> isinstance(half, pde.Domain), half.contains(np.array([[0.5, 0.0], [-0.5, 0.0]])).tolist()
        (True, [True, False])
        >>> points, normals = half.edge(np.random.default_rng(0).random((100, half.edge_uniforms)))
        >>> print(normals[points[:, 0] == 0].mean(axis=0))
        [-1.  0.]
    """

    size: int
    uniforms: int
    edge_uniforms: int
    log_volume: float
    area_per_volume: float
    name: str = ""
    piece_count: int = 1

    @abstractmethod
    def inside(self, unit: np.ndarray) -> np.ndarray:
        """Points (n, size) of the inside from uniform numbers (n, uniforms), in a new array."""

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
    def signed_distance(self, z: Any) -> Any:
        """A smooth function of one point: positive inside, of the order of one, zero on the boundary, else negative."""

    def outside_distance(self, z: Any) -> Any:
        """A smooth function of one point outside of the domain: zero on the boundary, positive away from it."""
        return -self.signed_distance(z)

    def distance(self, z: Any) -> Any:
        """A smooth function of one point of the domain: zero on the boundary, positive inside, of the order of one."""
        return self.signed_distance(z)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """The corners of the boundary that point inwards, between straight sides, as far as they are known."""
        return ()

    def corner_features(self, z: Any) -> Any:
        """Features for a network, where solutions are singular at corners that point inwards.

        The coordinates scaled to [−1, 1], then r^p cos(p θ) and r^p sin(p θ) with p = π / angle for each corner, in
        polar coordinates about it.

        Examples:
            >>> import jax.numpy as jnp
            >>> from dof import pde
            >>> corner = pde.Box([-1, -1], [1, 1]) - pde.Box([0, 0], [1, 1])
            >>> print(corner.corner_features(jnp.array([-0.5, -0.5])).shape)  # for pde.Problem(..., features=...)
            (4,)
        """
        low, high = self.bounds
        singular = [function for corner in self.corners for function in corner.functions(z)]
        return jnp.concatenate([2 * (z - low) / (high - low) - 1, jnp.array(singular)])

    @property
    @abstractmethod
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest value of each coordinate."""

    @property
    def is_time(self) -> np.ndarray:
        """Which coordinates are times, as a vector of truth values."""
        return np.zeros(self.size, bool)

    @property
    def is_parameter(self) -> np.ndarray:
        """Which coordinates are parameters, as a vector of truth values."""
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
        return False

    def part_at(self, axis: int) -> Domain:
        """The factor of a product that has coordinate `axis`; the domain itself if it is no product."""
        return self

    def in_window(self, start: float, end: float) -> Domain:
        """The same domain with time from `start` to `end`; itself if it has no time."""
        return self

    def named(self, name: str) -> Domain:
        """The domain with a name for its boundary, by which conditions find it: `on="hole"`.

        Examples:
            >>> from dof import pde
            >>> plate = pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], 0.5).named("hole")
            >>> plate.piece_names()
            ('', '', '', '', 'hole')
        """
        if not (isinstance(name, str) and name.isidentifier()):
            raise ArgumentError(describe("name", f"is {shown(name)}", "a word", 'pde.Ball([0, 0], 0.5).named("hole")'))
        new = copy(self)
        new.name = name
        return new

    def piece_names(self) -> tuple[str, ...]:
        """The name of each smooth piece of the boundary, empty where it has none."""
        return (self.name,) * self.piece_count

    def boundary_part(self, kept: np.ndarray) -> Domain:
        """The same points, with a boundary of some of its pieces only.

        Args:
            kept: A truth value for each piece.
        """
        from dof.pde.geometry.without_boundary import WithoutBoundary

        return self if kept.all() else self.with_pieces(kept) if kept.any() else WithoutBoundary(self)

    def with_pieces(self, kept: np.ndarray) -> Domain:
        """The same points, with some pieces of the boundary, not none and not all; for domains with several pieces."""
        raise NotImplementedError

    def __mul__(self, other: Any) -> Domain:
        """All points whose first coordinates are in this domain and whose last ones are in `other`."""
        from dof.pde.geometry.product_or_difference import product_of

        return product_of(self, other) if isinstance(other, Domain) else NotImplemented

    def __sub__(self, other: Any) -> Domain:
        """The points of this domain that are not in `other`."""
        from dof.pde.geometry.product_or_difference import difference_of

        return difference_of(self, other) if isinstance(other, Domain) else NotImplemented

    def __or__(self, other: Any) -> Domain:
        """The points that are in this domain, in `other`, or in both."""
        from dof.pde.geometry.combination import Combination

        return Combination(self, other, "union") if isinstance(other, Domain) else NotImplemented

    def __and__(self, other: Any) -> Domain:
        """The points that are in this domain and in `other`."""
        from dof.pde.geometry.combination import Combination

        return Combination(self, other, "intersection") if isinstance(other, Domain) else NotImplemented


def numbers(shape: str, given: Any, fix: str) -> np.ndarray:
    """What the user gave a shape as an array of numbers; refuses text and nested lists of different lengths."""
    try:
        return np.asarray(given, float)
    except (TypeError, ValueError):
        raise ArgumentTypeError(describe(shape, f"is given {shown(given)}", "numbers", fix)) from None


def chosen_by(shares: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """An index of `shares` for each uniform number, each index as often as its share of the sum."""
    # Without the last sum, which rounding may leave below 1: no number is chosen beyond the last index. With equal
    # sums an index with share 0 at the end would be chosen: the last one that has a share takes its place.
    last = int(np.flatnonzero(shares)[-1]) if shares.any() else 0
    return np.minimum(np.searchsorted(np.cumsum(shares)[:-1] / shares.sum(), unit, side="right"), last)

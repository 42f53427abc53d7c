"""A domain with a hole inside of it, which does not touch its boundary; other differences are combinations."""

from __future__ import annotations

from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.geometry.corners import Corner
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.r_functions import bounded, conjunction
from dof.pde.geometry.rejection import by_rejection

EDGE_SAMPLES, EDGE_NUMBERS = 4096, 2**22
"""Points of either boundary that are looked at to see whether a hole lies inside: 4096 miss one that reaches out by a
thousandth of its boundary once in 60 times; in very many dimensions fewer, so that they fit into 32 MB."""
CLEARANCE = 1e-6
"""How far a hole stays away from the outer boundary, relative to its own extent: more than rounding, less than any
gap that is meant."""


class DomainWithHole(Domain):
    """The points of `whole` outside of `hole`, which lies inside of it; volume and areas are exact in any dimension."""

    def __init__(self, whole: Domain, hole: Domain) -> None:
        self.whole, self.hole, self.size = whole, hole, whole.size
        self.uniforms = whole.uniforms
        self.edge_uniforms = 1 + max(whole.edge_uniforms, hole.edge_uniforms)
        self.piece_count = whole.piece_count + hole.piece_count
        # With q = volume of the hole / volume of the whole, both ratios are those of the whole's volume.
        # expm1 instead of 1 − q: nothing is lost to cancellation where the hole is nearly as large as the whole.
        log_ratio = hole.log_volume - whole.log_volume
        outer, inner, left = whole.area_per_volume, hole.area_per_volume * np.exp(log_ratio), -np.expm1(log_ratio)
        self.log_volume = whole.log_volume + float(np.log(left))
        self.area_per_volume = float((outer + inner) / left)
        self.outer_share = float(outer / (outer + inner)) if outer + inner else 1.0

    def towards_ends(self, unit: np.ndarray) -> np.ndarray:
        """As of the whole: its ends are those of the difference, since a hole does not touch them."""
        return self.whole.towards_ends(unit)

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """Points of the whole; those in the hole are replaced by random ones.

        Raises:
            ArgumentError: If hardly any points are left by the hole.
        """

        def candidates(unit: np.ndarray) -> Any:
            points = self.whole.inside(unit)
            return (points,), ~self.hole.contains(points)

        def refusal(missing: int) -> ArgumentError:
            found = f"leaves so little of the domain that {missing} of {len(unit)} points were not found"
            fix = "pde.Ball([0, 0], 1.0) - pde.Ball([0, 0], 0.9)"
            return ArgumentError(describe("hole", found, "a smaller one", fix))

        return by_rejection(candidates, unit, refusal)[0]

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses between both boundaries, by their areas. Normals of the hole point into it."""
        outer, normals = self.whole.edge(unit[:, : self.whole.edge_uniforms])
        # Both boundaries are made from the same numbers; of each point one is dropped.
        inner, into = self.hole.edge(unit[:, : self.hole.edge_uniforms])
        is_outer = (unit[:, -1] < self.outer_share)[:, None]
        return np.where(is_outer, outer, inner), np.where(is_outer, normals, -into)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether a point is in the whole and not in the hole."""
        return self.whole.contains(points) & ~self.hole.contains(points)

    def distance(self, z: Any) -> Any:
        """The product of the distances to both boundaries."""
        return self.whole.distance(z) * self._outside_of_hole(z)

    def signed_distance(self, z: Any) -> Any:
        """The conjunction of being in the whole and of being outside of the hole."""
        return conjunction([self.whole.signed_distance(z), self._outside_of_hole(z)])

    def _outside_of_hole(self, z: Any) -> Any:
        # Bounded: far from a small hole its own function is as large as the square of how much larger the whole is.
        return bounded(self.hole.outside_distance(z)) if self.hole.area_per_volume else 1.0

    def in_window(self, start: float, end: float) -> Domain:
        """The same with time from `start` to `end`."""
        return DomainWithHole(self.whole.in_window(start, end), self.hole.in_window(start, end))

    def named(self, name: str) -> Domain:
        """The same with one name for both boundaries."""
        return DomainWithHole(self.whole.named(name), self.hole.named(name))

    def piece_names(self) -> tuple[str, ...]:
        """Those of the whole, then those of the hole."""
        return self.whole.piece_names() + self.hole.piece_names()

    def with_pieces(self, kept: np.ndarray) -> Domain:
        """The same with some pieces of either boundary."""
        n = self.whole.piece_count
        return DomainWithHole(self.whole.boundary_part(kept[:n]), self.hole.boundary_part(kept[n:]))

    def has_face(self, axis: int, value: float) -> bool:
        """Whether the whole has such a face and the hole does not reach it."""
        low, high = self.hole.bounds
        return self.whole.has_face(axis, value) and not low[axis] <= value <= high[axis]

    def part_at(self, axis: int) -> Domain:
        """The factor of the whole that has coordinate `axis`."""
        return self.whole.part_at(axis)

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Those of the whole."""
        return self.whole.corners

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds of the whole."""
        return self.whole.bounds

    @property
    def is_time(self) -> np.ndarray:
        """Which coordinates of the whole are times."""
        return self.whole.is_time

    @property
    def is_parameter(self) -> np.ndarray:
        """Which coordinates of the whole are parameters."""
        return self.whole.is_parameter


def lies_inside(whole: Domain, hole: Domain) -> bool:
    """Whether the hole's boundary lies inside of the whole with some clearance, and none of the whole's is in it."""
    rng = np.random.default_rng(0)
    count = min(EDGE_SAMPLES, 1 + EDGE_NUMBERS // whole.size)
    edge, normals = hole.edge(rng.random((count, hole.edge_uniforms)))
    low, high = hole.bounds
    if (low < whole.bounds[0]).any() or (high > whole.bounds[1]).any():
        return False
    # Normals have no component in time: a hole may last as long as the domain without touching its boundary.
    around = edge + CLEARANCE * (high - low) * normals
    outer = whole.edge(rng.random((count, whole.edge_uniforms)))[0]
    # The sampled points may miss what reaches out; the volume that is left must be positive in any case.
    is_smaller = hole.log_volume < whole.log_volume
    return bool(is_smaller and whole.contains(around).all() and not hole.contains(outer).any())

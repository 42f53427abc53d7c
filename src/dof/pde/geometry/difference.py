"""A domain with a hole."""

from __future__ import annotations

from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.geometry.domain import Domain

EDGE_SAMPLES, EDGE_NUMBERS = 256, 2**22
"""Points of either boundary that are looked at to see whether a hole lies inside: 256 find a hole that reaches out by a
percent of its boundary with a probability of 92 %; in very many dimensions fewer, so that they fit into 32 MB."""
CLEARANCE = 1e-6
"""How far a hole stays away from the outer boundary, relative to its own extent: more than rounding, less than any
gap that is meant."""
NUMBERS_AT_ONCE = 2**22
"""Uniform numbers drawn in one round, 32 MB of them."""
MOST_ROUNDS = 1000
"""In few dimensions 10⁹ points by then: less than a share of about 10⁻⁶ of the domain is left by the hole."""


class Difference(Domain):
    """The points of `whole` outside of `hole`, which lies inside of it and does not touch its boundary."""

    def __init__(self, whole: Domain, hole: Domain) -> None:
        _require_inside(whole, hole)
        self.whole, self.hole, self.size = whole, hole, whole.size
        self.uniforms = whole.uniforms
        self.edge_uniforms = 1 + max(whole.edge_uniforms, hole.edge_uniforms)
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
        """Points of the whole; those in the hole are replaced by random ones, the same for the same number of points.

        Raises:
            ArgumentError: If hardly any points are left by the hole.
        """
        points = self.whole.inside(unit)
        wrong = np.flatnonzero(self.hole.contains(points))
        # Seeded by the number of points alone: resumed runs and both ends of a periodic coordinate get the same points.
        rng, width = np.random.default_rng(len(unit)), len(wrong)
        for _ in range(MOST_ROUNDS):
            if not len(wrong):
                return points
            drawn = self.whole.inside(rng.random((width, self.uniforms)))
            good = drawn[~self.hole.contains(drawn)][: len(wrong)]
            points[wrong[: len(good)]] = good
            wrong = wrong[len(good) :]
            # Twice as many each time, as the share that is hit is not known before.
            width = max(len(wrong), min(2 * width, NUMBERS_AT_ONCE // self.uniforms))
        found = f"leaves so little of the domain that {len(wrong)} of {len(unit)} points were not found"
        raise ArgumentError(describe("hole", found, "a smaller one", "pde.Ball([0, 0], 1.0) - pde.Ball([0, 0], 0.9)"))

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
        return self.whole.distance(z) * self.hole.distance_outside(z)

    def has_face(self, axis: int, value: float) -> bool:
        """Whether the whole has such a face and the hole does not reach it."""
        low, high = self.hole.bounds
        return self.whole.has_face(axis, value) and not low[axis] <= value <= high[axis]

    def part_at(self, axis: int) -> Domain:
        """The factor of the whole that has coordinate `axis`."""
        return self.whole.part_at(axis)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds of the whole."""
        return self.whole.bounds

    @property
    def is_time(self) -> np.ndarray:
        """Which coordinates of the whole are times."""
        return self.whole.is_time


def _require_inside(whole: Domain, hole: Domain) -> None:
    """The hole's boundary lies inside of the whole with some clearance, and none of the whole's is in the hole."""
    fix = "pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], 0.5)"
    if whole.size != hole.size:
        found, expected = f"has {hole.size} coordinates", f"{whole.size}, as the domain around it"
        raise ArgumentError(describe("hole", found, expected, fix))
    rng = np.random.default_rng(0)
    count = min(EDGE_SAMPLES, 1 + EDGE_NUMBERS // whole.size)
    edge, normals = hole.edge(rng.random((count, hole.edge_uniforms)))
    low, high = hole.bounds
    # Normals have no component in time: a hole may last as long as the domain without touching its boundary.
    around = edge + CLEARANCE * (high - low) * normals
    outer = whole.edge(rng.random((count, whole.edge_uniforms)))[0]
    # The sampled points may miss what reaches out; the volume that is left must be positive in any case.
    is_larger = hole.log_volume >= whole.log_volume
    if is_larger or not whole.contains(around).all() or hole.contains(outer).any():
        found = "reaches out of the domain, touches its boundary or another hole"
        raise ArgumentError(describe("hole", found, "a domain inside of the other", fix))

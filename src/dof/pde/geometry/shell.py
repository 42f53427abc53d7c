"""The region between two spheres about the same centre, in any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.geometry.ball import ROUNDING, Ball, on_sphere
from dof.pde.geometry.domain import Domain, numbers


class Shell(Domain):
    """inner ≤ |z − centre| ≤ outer: an annulus in two dimensions, a spherical shell in three.

    Conditions hold on one of both spheres by `on="inner"` or `on="outer"`.

    Args:
        centre: The coordinates of the centre.
        inner: The radius of the inner sphere.
        outer: The radius of the outer sphere.

    Examples:
        >>> from dof import pde
        >>> ring = pde.Shell([0, 0], 1.0, 2.0)
        >>> print(f"{ring.volume:.4f} {ring.area:.4f}")  # 3 π and 6 π
        9.4248 18.8496
    """

    piece_count = 2

    def __init__(self, centre: Sequence[float], inner: float, outer: float) -> None:
        fix = "pde.Shell([0, 0], 1.0, 2.0)"
        radii = [numbers("Shell", radius, fix) for radius in (inner, outer)]
        if any(radius.ndim for radius in radii) or not 0 < radii[0] < radii[1]:
            found = f"has `inner` {inner} and `outer` {outer}"
            raise ArgumentError(describe("Shell", found, "radii with 0 < inner < outer", fix))
        ball = Ball(centre, outer)
        self.centre, self.inner, self.outer = ball.centre, float(inner), ball.radius
        self.size = n = ball.size
        self.uniforms = self.edge_uniforms = n + 1
        # (inner / outer)ⁿ and 1 − (inner / outer)ⁿ without cancellation: the shell may be thin, n large.
        log_ratio = n * np.log(self.inner / self.outer)
        self.hole_share, left = float(np.exp(log_ratio)), float(-np.expm1(log_ratio))
        self.log_volume = ball.log_volume + float(np.log(left))
        # The areas of the outer and the inner sphere, divided by the volume.
        self.sphere_shares = n / self.outer / left * np.array([1.0, self.hole_share * self.outer / self.inner])
        self.area_per_volume = float(self.sphere_shares.sum())
        self.has_outer = self.has_inner = True

    def piece_names(self) -> tuple[str, ...]:
        """The outer sphere is called "outer", the inner one "inner", if the shell has no name for both."""
        return (self.name, self.name) if self.name else ("outer", "inner")

    def with_pieces(self, kept: np.ndarray) -> Domain:
        """The shell with its outer sphere only, or with its inner one only."""
        new = copy(self)
        new.has_outer, new.has_inner = (bool(own) for own in kept)
        new.sphere_shares = np.where(kept, self.sphere_shares, 0.0)
        new.area_per_volume = float(new.sphere_shares.sum())
        return new

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """The last number makes the radius, whose n-th power is uniform, the others the direction."""
        share = self.hole_share + (1 - self.hole_share) * unit[:, -1:]
        # Rounding must not lead out of a shell that is very thin.
        radii = np.clip(self.outer * share ** (1 / self.size), self.inner, self.outer)
        return self.centre + radii * on_sphere(unit[:, :-1])

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses the sphere, by its area. Normals of the inner one point to the centre."""
        is_outer = unit[:, -1:] < self.sphere_shares[0] / self.area_per_volume
        directions = on_sphere(unit[:, :-1])
        points = self.centre + np.where(is_outer, self.outer, self.inner) * directions
        return points, np.where(is_outer, directions, -directions)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether inner ≤ |z − centre| ≤ outer."""
        radii = np.linalg.norm(points - self.centre, axis=-1)
        return (radii <= self.outer * (1 + ROUNDING)) & (radii >= self.inner * (1 - ROUNDING))

    def signed_distance(self, z: Any) -> Any:
        """4 (outer² − s) (s − inner²) / (outer² − inner²)² with s = |z − centre|², of the spheres that are kept."""
        away, width = z - self.centre, self.outer**2 - self.inner**2
        s = away @ away
        from_outer = 2 * (self.outer**2 - s) / width if self.has_outer else 1.0
        return from_outer * (2 * (s - self.inner**2) / width if self.has_inner else 1.0)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the diameters of the outer sphere along the axes."""
        return self.centre - self.outer, self.centre + self.outer

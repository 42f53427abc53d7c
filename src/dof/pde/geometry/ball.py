"""Balls in any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log, pi
from typing import Any

import numpy as np
from scipy.special import ndtri

from dof.errors import ArgumentError, describe
from dof.pde.geometry.domain import Domain, numbers

LEAST_UNIFORM = 1e-12
"""Uniform numbers are kept so far from 0 and 1, where the normal distribution is infinite."""
ROUNDING = 1e-12
"""By how much a point of the sphere may be outside of it, relative to the radius."""


class Ball(Domain):
    """|z − centre| ≤ radius.

    Args:
        centre: The coordinates of the centre.
        radius: The radius.
        crowded: Whether radii of points are uniform, so that points crowd around the centre, as suits functions with
            a cusp there. By default points are uniform in the volume.

    Examples:
        >>> import numpy as np
        >>> from dof import pde
        >>> ball = pde.Ball([1, 0, 0], radius=2.0)
        >>> points, normals = ball.edge(np.random.default_rng(0).random((100, ball.edge_uniforms)))
        >>> print(np.allclose(points, ball.centre + 2 * normals), ball.contains(points / 2).all())
        True True
    """

    def __init__(self, centre: Sequence[float], radius: float = 1.0, *, crowded: bool = False) -> None:
        fix = "pde.Ball([0, 0], 1.0)"
        self.centre, length = np.atleast_1d(numbers("Ball", centre, fix)), numbers("Ball", radius, fix)
        is_point = self.centre.ndim == 1 and self.centre.size > 0 and np.isfinite(self.centre).all()
        if not (is_point and length.ndim == 0 and 0 < length < np.inf):
            found = f"has `centre` {self.centre} and `radius` {length}"
            raise ArgumentError(describe("Ball", found, "a point and a positive radius, of finite numbers", fix))
        self.radius = float(length)
        self.size = self.edge_uniforms = n = len(self.centre)
        self.crowded = crowded
        self.uniforms = n + 1
        # By lgamma: the Gamma function itself overflows from 342 dimensions on.
        self.log_volume = n / 2 * log(pi) - lgamma(n / 2 + 1) + n * log(self.radius)
        self.area_per_volume = n / self.radius

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """The last number makes the radius, the others the direction."""
        # The share of the volume within radius r is (r / radius)ⁿ: an n-th root makes points uniform in the volume.
        radii = self.radius * unit[:, -1:] ** (1 if self.crowded else 1 / self.size)
        return self.centre + radii * on_sphere(unit[:, :-1])

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points of the sphere, whose normals are radial."""
        normals = on_sphere(unit)
        return self.centre + self.radius * normals, normals

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether |z − centre| ≤ radius."""
        return np.linalg.norm(points - self.centre, axis=-1) <= self.radius * (1 + ROUNDING)

    def signed_distance(self, z: Any) -> Any:
        """1 − |z − centre|² / radius²."""
        # The square, not the length: |z| has no derivative at the centre.
        away = z - self.centre
        return 1 - away @ away / self.radius**2

    def has_face(self, axis: int, value: float) -> bool:
        """Only through the centre: elsewhere points near the sphere would leave the ball."""
        away = abs(value - float(self.centre[axis]))
        return away <= self.radius if self.size == 1 else away == 0

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the diameters along the axes."""
        return self.centre - self.radius, self.centre + self.radius


def on_sphere(unit: np.ndarray) -> np.ndarray:
    """Unit vectors from uniform numbers: normally distributed vectors, which have no preferred direction, scaled."""
    vectors = ndtri(np.clip(unit, LEAST_UNIFORM, 1 - LEAST_UNIFORM))
    # A vector of zeros, which uniform numbers of exactly ½ make, has no direction: it gets the first axis.
    vectors[:, 0] += np.where(np.abs(vectors).max(axis=1) < 1e-9, 1.0, 0.0)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

"""Intervals, boxes, balls, and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.special import gamma, ndtri

from dof.errors import ArgumentError, describe
from dof.pde.geometry.domain import Domain, chosen_by


class Box(Domain):
    """low ≤ z ≤ high in each coordinate.

    All domains have products with `*`, as of space and time, and differences with `-`, which take out a hole.

    >>> import numpy as np
    >>> from dof import pde
    >>> domain = (pde.Box([-1, -1], [1, 1]) - pde.Ball([0, 0], 0.5)) * pde.Time(0, 2)
    >>> domain.size, domain.contains(np.array([[0.9, 0.9, 1.0], [0.0, 0.0, 1.0]])).tolist()
    (3, [True, False])
    """

    _example = "pde.Box([0, 0], [1, 2])"

    def __init__(self, low: Sequence[float], high: Sequence[float]) -> None:
        self.low, self.high = np.atleast_1d(np.asarray(low, float)), np.atleast_1d(np.asarray(high, float))
        are_vectors = self.low.ndim == 1 and self.low.shape == self.high.shape
        if not (are_vectors and (self.low < self.high).all() and np.isfinite([self.low, self.high]).all()):
            found = f"goes from {self.low.tolist()} to {self.high.tolist()}"
            expected = "finite numbers, for each coordinate the lower one first"
            raise ArgumentError(describe(type(self).__name__, found, expected, self._example))
        self.size = self.uniforms = len(self.low)
        self.edge_uniforms = self.size + 1
        self.sides = self.high - self.low
        self.volume = float(np.prod(self.sides))
        self.area = float(2 * np.sum(self.volume / self.sides))

    def inside(self, unit: np.ndarray) -> np.ndarray:
        return self.low + self.sides * unit

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses the face, by its area."""
        points, normals = self.inside(unit[:, :-1]), np.zeros((len(unit), self.size))
        face = chosen_by(np.repeat(1 / self.sides, 2), unit[:, -1])
        every, axis = np.arange(len(unit)), face // 2
        points[every, axis] = np.where(face % 2, self.high[axis], self.low[axis])
        normals[every, axis] = np.where(face % 2, 1.0, -1.0)
        return points, normals

    def contains(self, points: np.ndarray) -> np.ndarray:
        return np.all((points >= self.low) & (points <= self.high), axis=-1)

    def distance(self, z: Any) -> Any:
        return jnp.prod(4 * (z - self.low) * (self.high - z) / self.sides**2)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self.low, self.high


class Interval(Box):
    """low ≤ x ≤ high

    >>> from dof import pde
    >>> domain = pde.Interval(-1, 1) * pde.Time(0, 2)  # for the coordinates "x t"
    >>> [bound.tolist() for bound in domain.bounds]
    [[-1.0, 0.0], [1.0, 2.0]]
    """

    _example = "pde.Interval(0, 1)"

    def __init__(self, low: float, high: float) -> None:
        super().__init__([low], [high])

    def away(self, z: Any) -> Any:
        return -self.distance(z)


class Time(Interval):
    """start ≤ t ≤ end. It has a start, but no boundary on which conditions would hold.

    >>> import numpy as np
    >>> from dof import pde
    >>> domain = pde.Interval(0, 1) * pde.Time(0, 2)
    >>> points, normals = domain.edge(np.random.default_rng(0).random((100, domain.edge_uniforms)))
    >>> print(np.unique(points[:, 0]), len(np.unique(points[:, 1])))  # x at its ends, t anywhere
    [0. 1.] 100
    """

    _example = "pde.Time(0, 1)"

    def __init__(self, start: float, end: float) -> None:
        super().__init__(start, end)
        self.area = 0.0

    def distance(self, z: Any) -> Any:
        return jnp.ones((), z.dtype)


class Ball(Domain):
    """|z − centre| ≤ radius. Points that are crowded are as dense along the radius at the centre as elsewhere.

    >>> import numpy as np
    >>> from dof import pde
    >>> ball = pde.Ball([1, 0, 0], radius=2.0)
    >>> points, normals = ball.edge(np.random.default_rng(0).random((100, ball.edge_uniforms)))
    >>> print(np.allclose(points, ball.centre + 2 * normals), ball.contains(points / 2).all())
    True True
    """

    def __init__(self, centre: Sequence[float], radius: float = 1.0, *, crowded: bool = False) -> None:
        self.centre, self.radius = np.atleast_1d(np.asarray(centre, float)), float(radius)
        if self.centre.ndim != 1 or not (np.isfinite(self.centre).all() and 0 < self.radius < np.inf):
            found = f"has `centre` {self.centre.tolist()} and `radius` {self.radius}"
            raise ArgumentError(
                describe("Ball", found, "a point and a positive radius, of finite numbers", "pde.Ball([0, 0], 1.0)")
            )
        self.size = self.edge_uniforms = n = len(self.centre)
        self.crowded = crowded
        self.uniforms = n + 1
        # In many dimensions neither is a number of floating point, and only their ratio matters.
        self.volume = float(np.pi ** (n / 2) / gamma(n / 2 + 1) * self.radius**n) if n < 100 else 1.0
        self.area = n / self.radius * self.volume

    def inside(self, unit: np.ndarray) -> np.ndarray:
        radii = self.radius * unit[:, -1:] ** (1 if self.crowded else 1 / self.size)
        return self.centre + radii * self._on_sphere(unit[:, :-1])

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        normals = self._on_sphere(unit)
        return self.centre + self.radius * normals, normals

    def _on_sphere(self, unit: np.ndarray) -> np.ndarray:
        """Normally distributed vectors have no preferred direction."""
        vectors = ndtri(np.clip(unit, 1e-12, 1 - 1e-12))
        vectors[:, 0] += np.where(np.abs(vectors).max(axis=1) < 1e-9, 1.0, 0.0)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def contains(self, points: np.ndarray) -> np.ndarray:
        return np.linalg.norm(points - self.centre, axis=-1) <= self.radius * (1 + 1e-12)

    def distance(self, z: Any) -> Any:
        away = z - self.centre
        return 1 - away @ away / self.radius**2

    def away(self, z: Any) -> Any:
        return -self.distance(z)

    def has_face(self, axis: int, value: float) -> bool:
        """Only through the centre: elsewhere points near the sphere would leave it."""
        return super().has_face(axis, value) if self.size == 1 else value == float(self.centre[axis])

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        return self.centre - self.radius, self.centre + self.radius

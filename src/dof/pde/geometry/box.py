"""Boxes, intervals, and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.geometry.domain import Domain, chosen_by


class Box(Domain):
    """low ≤ z ≤ high in each coordinate.

    All domains have products with `*`, as of space and time, and differences with `-`, which take out a hole.

    Args:
        low: The lowest value of each coordinate.
        high: The highest value of each coordinate.

    Examples:
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
            found = f"goes from {self.low} to {self.high}"
            expected = "finite numbers, for each coordinate the lower one first"
            raise ArgumentError(describe(type(self).__name__, found, expected, self._example))
        self.size = self.uniforms = len(self.low)
        self.edge_uniforms = self.size + 1
        self.sides = self.high - self.low
        self.log_volume = float(np.log(self.sides).sum())
        # Two faces across each side, each of the area volume / side.
        self.area_per_volume = float((2 / self.sides).sum())

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """The point low + (high − low) u of each vector of uniform numbers u."""
        return self.low + self.sides * unit

    def towards_ends(self, unit: np.ndarray) -> np.ndarray:
        """The number (1 − cos πu) / 2 for each u: the density of Chebyshev points in every coordinate."""
        return (1 - np.cos(np.pi * unit)) / 2

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses the face, by its area."""
        points, normals = self.inside(unit[:, :-1]), np.zeros((len(unit), self.size))
        # Face 2i is the lower one across coordinate i, face 2i + 1 the upper one.
        face = chosen_by(np.repeat(1 / self.sides, 2), unit[:, -1])
        every, axis = np.arange(len(unit)), face // 2
        points[every, axis] = np.where(face % 2, self.high[axis], self.low[axis])
        normals[every, axis] = np.where(face % 2, 1.0, -1.0)
        return points, normals

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether low ≤ z ≤ high in each coordinate."""
        return np.all((points >= self.low) & (points <= self.high), axis=-1)

    def distance(self, z: Any) -> Any:
        """Π_i 4 (z_i − low_i) (high_i − z_i) / side_i², which is 1 in the middle."""
        return jnp.prod(4 * (z - self.low) * (self.high - z) / self.sides**2)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners low and high."""
        return self.low, self.high


class Interval(Box):
    """low ≤ x ≤ high, for one coordinate.

    Args:
        low: The lower end.
        high: The upper end.

    Examples:
        >>> from dof import pde
        >>> domain = pde.Interval(-1, 1) * pde.Time(0, 2)  # for the coordinates "x t"
        >>> [bound.tolist() for bound in domain.bounds]
        [[-1.0, 0.0], [1.0, 2.0]]
    """

    _example = "pde.Interval(0, 1)"

    def __init__(self, low: float, high: float) -> None:
        super().__init__([low], [high])

    def distance_outside(self, z: Any) -> Any:
        """4 (z − low) (z − high) / side²."""
        return -self.distance(z)


class Time(Interval):
    """start ≤ t ≤ end. Time has a start, but no boundary on which boundary conditions hold.

    Args:
        start: When initial conditions hold.
        end: The last time.
        crowded: A time of the order of the fastest change after the start, for solutions that change much faster there
            than later. The equation is then fitted at points drawn evenly in log(1 + (t − start) / crowded).

    Examples:
        >>> import numpy as np
        >>> from dof import pde
        >>> domain = pde.Interval(0, 1) * pde.Time(0, 2)
        >>> points, normals = domain.edge(np.random.default_rng(0).random((100, domain.edge_uniforms)))
        >>> print(np.unique(points[:, 0]), len(np.unique(points[:, 1])))  # x at its ends, t anywhere
        [0. 1.] 100
        >>> print(pde.Time(0, 99, crowded=1.0).collocation(np.array([[0.0], [0.5], [1.0]])).ravel())
        [ 0.  9. 99.]
    """

    _example = "pde.Time(0, 1)"

    def __init__(self, start: float, end: float, crowded: float | None = None) -> None:
        super().__init__(start, end)
        self.area_per_volume = 0.0
        if crowded is not None and not (np.isfinite(crowded) and crowded > 0):
            fix = "pde.Time(0, 1, crowded=0.01)"
            raise ArgumentError(describe("crowded", f"is {crowded!r}", "a positive time, or None", fix))
        self.crowded = crowded

    def collocation(self, unit: np.ndarray) -> np.ndarray:
        """The times of uniform numbers, evenly or crowded at the start."""
        if self.crowded is None:
            return self.inside(unit)
        grown = np.expm1(unit * np.log1p(self.sides / self.crowded))
        # At most the end, which rounding may exceed.
        return np.minimum(self.low + self.crowded * grown, self.high)

    def distance(self, z: Any) -> Any:
        """1 everywhere: there is no boundary."""
        return jnp.ones((), z.dtype)

    @property
    def is_time(self) -> np.ndarray:
        """True for the one coordinate."""
        return np.ones(1, bool)

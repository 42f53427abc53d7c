"""Boxes and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.geometry.domain import Domain, chosen_by, numbers
from dof.pde.geometry.r_functions import conjunction


class Box(Domain):
    """low ≤ z ≤ high in each coordinate.

    All domains have products with `*`, as of space and time, differences with `-`, unions with `|` and intersections
    with `&`.

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
        ends = (np.atleast_1d(numbers(type(self).__name__, end, self._example)) for end in (low, high))
        self.low, self.high = ends
        are_vectors = self.low.ndim == 1 and self.low.shape == self.high.shape and self.low.size > 0
        if not (are_vectors and (self.low < self.high).all() and np.isfinite([self.low, self.high]).all()):
            found = f"goes from {self.low} to {self.high}"
            expected = "finite numbers, for each coordinate the lower one first"
            raise ArgumentError(describe(type(self).__name__, found, expected, self._example))
        self.size = self.uniforms = len(self.low)
        self.edge_uniforms = self.size + 1
        self.sides = self.high - self.low
        self.log_volume = float(np.log(self.sides).sum())
        self.piece_count = 2 * self.size
        # Face 2i is the lower one across coordinate i, face 2i + 1 the upper one.
        self._set_faces(np.ones(2 * self.size, bool))

    def _set_faces(self, kept: np.ndarray) -> None:
        """The faces that make the boundary, each of the area volume / side."""
        self.face_shares = np.where(kept, np.repeat(1 / self.sides, 2), 0.0)
        self.area_per_volume = float(self.face_shares.sum())

    def with_pieces(self, kept: np.ndarray) -> Domain:
        """The box with some of its faces."""
        new = copy(self)
        new._set_faces(kept & (self.face_shares > 0))
        return new

    def inside(self, unit: np.ndarray) -> np.ndarray:
        """The point low + (high − low) u of each vector of uniform numbers u."""
        return self.low + self.sides * unit

    def towards_ends(self, unit: np.ndarray) -> np.ndarray:
        """The number (1 − cos πu) / 2 for each u: the density of Chebyshev points in every coordinate."""
        return (1 - np.cos(np.pi * unit)) / 2

    def edge(self, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The last number chooses the face, by its area."""
        points, normals = self.inside(unit[:, :-1]), np.zeros((len(unit), self.size))
        face = chosen_by(self.face_shares, unit[:, -1])
        every, axis = np.arange(len(unit)), face // 2
        points[every, axis] = np.where(face % 2, self.high[axis], self.low[axis])
        normals[every, axis] = np.where(face % 2, 1.0, -1.0)
        return points, normals

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Whether low ≤ z ≤ high in each coordinate."""
        return np.all((points >= self.low) & (points <= self.high), axis=-1)

    def distance(self, z: Any) -> Any:
        """Π_i 4 (z_i − low_i) (high_i − z_i) / side_i², which is 1 in the middle; without faces that are left out."""
        if (self.face_shares > 0).all():
            return jnp.prod(4 * (z - self.low) * (self.high - z) / self.sides**2)
        lower, upper = self.face_shares.reshape(-1, 2).T > 0
        factors = 2 * jnp.concatenate([((z - self.low) / self.sides)[lower], ((self.high - z) / self.sides)[upper]])
        return jnp.prod(factors)

    def signed_distance(self, z: Any) -> Any:
        """The conjunction of 4 (z_i − low_i) (high_i − z_i) / side_i² over all coordinates."""
        return conjunction(self._slabs(z))

    def outside_distance(self, z: Any) -> Any:
        """The same with the other sign, and with corners as they are: seen from outside they point inwards."""
        return -conjunction(self._slabs(z), rounded=False)

    def _slabs(self, z: Any) -> list[Any]:
        slabs = 4 * (z - self.low) * (self.high - z) / self.sides**2
        return [slabs[i] for i in range(self.size)]

    def has_face(self, axis: int, value: float) -> bool:
        """Whether the value lies between the bounds."""
        return bool(self.low[axis] <= value <= self.high[axis])

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

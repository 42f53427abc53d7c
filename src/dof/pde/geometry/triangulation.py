"""A polygon cut into triangles, ear by ear, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def cross(a: np.ndarray, b: np.ndarray) -> Any:
    """a₀ b₁ − a₁ b₀ of vectors on the last axis."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def without_straight_corners(vertices: np.ndarray, tolerance: float) -> np.ndarray:
    """The vertices at which the boundary turns."""
    before, after = vertices - np.roll(vertices, 1, axis=0), np.roll(vertices, -1, axis=0) - vertices
    turns = cross(before, after) / (np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1))
    return vertices[np.abs(turns) > tolerance]


def triangles_of(vertices: np.ndarray) -> np.ndarray:
    """Triangles (n − 2, 3, 2) that fill a simple polygon (n, 2) whose vertices go around to the left."""
    left, found = list(range(len(vertices))), []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(vertices, left, k)), None)
        if k is None:
            raise ValueError("the boundary crosses or touches itself")
        found.append([left[k - 1], left[k], left[(k + 1) % len(left)]])
        del left[k]
    return vertices[np.array([*found, left])]


def _is_ear(vertices: np.ndarray, left: list[int], k: int) -> bool:
    """Whether the triangle at corner k is to the left and has no other corner in it or on it."""
    own = [left[k - 1], left[k], left[(k + 1) % len(left)]]
    a, b, c = vertices[own]
    if cross(b - a, c - b) <= 0:
        return False
    others = vertices[[i for i in left if i not in own]]
    # A corner on the triangle counts as in it: the cut from a to c would touch it.
    sides = [cross(end - start, others - start) >= 0 for start, end in ((a, b), (b, c), (c, a))]
    return not np.logical_and.reduce(sides).any()

"""Corners of a boundary that point inwards, where solutions are less smooth than the equation.

At a corner with the angle ω > π inside of the domain, solutions that are zero on both sides rise as r^p with p = π / ω,
in polar coordinates (r, θ) about the corner, θ = 0 in the middle of the domain:

    u = c₁ r^p cos(p θ) + c₂ r^2p sin(2p θ) + …

A network is smooth, and so is a distance times a network: neither comes near to such a u. The first function, which is
harmonic, zero on both sides and positive between them, serves as the distance. Then what is left for the network is a
smooth function of x, y, r^p cos(p θ) and r^p sin(p θ), which it can be given as features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np


@dataclass(frozen=True)
class Corner:
    """A corner between two straight sides, or an edge between two flat faces.

    Attributes:
        axes: The two coordinates of the plane that it lies in.
        place: Where it is in that plane, (2,).
        middle: The unit vector from it into the middle of the domain, (2,).
        angle: ω, inside of the domain.
        extent: The length by which r is divided.
    """

    axes: tuple[int, int]
    place: np.ndarray
    middle: np.ndarray
    angle: float
    extent: float

    def functions(self, z: Any) -> tuple[Any, Any]:
        """Both r^p cos(p θ) and r^p sin(p θ) at one point; the first is zero on both sides of the corner."""
        along = z[jnp.array(self.axes, jnp.int32)] - self.place
        x, y = along @ self.middle, along @ np.array([-self.middle[1], self.middle[0]])
        square = (x**2 + y**2) / self.extent**2
        # Neither the power nor the angle has a derivative in the corner itself, where both functions are zero.
        is_corner = square == 0
        p = np.pi / self.angle
        radius = jnp.where(is_corner, 1.0, square) ** (p / 2)
        turned = p * jnp.arctan2(y, jnp.where(is_corner, 1.0, x))
        scaled = jnp.where(is_corner, 0.0, radius)
        return scaled * jnp.cos(turned), scaled * jnp.sin(turned)

    def shifted(self, by: int) -> Corner:
        """The same corner where `by` coordinates come before."""
        return Corner((self.axes[0] + by, self.axes[1] + by), self.place, self.middle, self.angle, self.extent)


def corner_between(outwards: np.ndarray, place: np.ndarray, extent: float, axes: Any = (0, 1)) -> Corner:
    """The corner where two sides meet.

    Args:
        outwards: Vectors (2, 2) across both sides, which point out of the domain.
        place: Where they meet, (2,).
        extent: Of the domain.
        axes: The coordinates of the plane.
    """
    first, second = outwards / np.linalg.norm(outwards, axis=1, keepdims=True)
    middle = -(first + second) / np.linalg.norm(first + second)
    angle = np.pi + float(np.arccos(np.clip(first @ second, -1, 1)))
    return Corner((int(axes[0]), int(axes[1])), place, middle, angle, extent)

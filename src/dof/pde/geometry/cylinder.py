"""Cylinders: products of a disk and an interval."""

from __future__ import annotations

from collections.abc import Sequence

from dof.errors import ArgumentError, describe, shown
from dof.pde.geometry.ball import Ball
from dof.pde.geometry.box import Interval
from dof.pde.geometry.domain import numbers
from dof.pde.geometry.product import Product


class Cylinder(Product):
    """|(x, y) − centre| ≤ radius, low ≤ z ≤ high.

    Args:
        centre: The point (x, y) of the axis.
        radius: The radius.
        low: The height z of the lower lid.
        high: The height z of the upper lid.

    Examples:
        >>> from dof import pde
        >>> cylinder = pde.Cylinder([0, 0], 2.0, -1, 1)
        >>> print(f"{cylinder.volume:.3f} {cylinder.area:.3f}")  # 8 π and 16 π
        25.133 50.265
    """

    def __init__(self, centre: Sequence[float], radius: float, low: float, high: float) -> None:
        fix = "pde.Cylinder([0, 0], 1.0, 0, 2)"
        lengths = [numbers("Cylinder", given, fix) for given in (radius, low, high)]
        if numbers("Cylinder", centre, fix).shape != (2,):
            found = f"has `centre` {shown(centre)}"
            raise ArgumentError(describe("Cylinder", found, "the point (x, y) of its axis, which is along z", fix))
        if any(given.ndim for given in lengths) or not (lengths[0] > 0 and lengths[1] < lengths[2]):
            found = f"has `radius` {radius}, `low` {low} and `high` {high}"
            raise ArgumentError(describe("Cylinder", found, "a positive radius, and the lower lid first", fix))
        super().__init__(Ball(centre, radius), Interval(low, high))

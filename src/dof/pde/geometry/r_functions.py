"""Smooth functions whose sign is that of a logical combination (R-functions of Rvachev).

With a and b positive inside of two sets and zero on their boundaries, s = √(a² + b²),

    a ∧ b = (a + b − s) · s / √(s² + ε²)

is positive where both are, zero on the boundary of the intersection, and negative elsewhere. The last factor is for
corners that point outwards, where a = b = 0: there solutions that are zero on both sides are of the order of a b, and
so is this, with second derivatives that are bounded. At corners that point inwards solutions are less smooth, and the
plain a + b − s, which rises with the distance from the corner, is nearer to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

ROUNDED = 0.25
"""ε: how far around a corner, relative to the size of a domain, the last factor is felt. Less would make larger second
derivatives, more would flatten what is between two corners."""


def conjunction(values: Sequence[Any], rounded: bool = True) -> Any:
    """Positive where all values are, zero on the boundary of that set, negative outside of it.

    Args:
        values: Numbers, each positive inside of a set.
        rounded: Whether corners are made smooth, by the last factor.
    """
    values = list(values)
    # Pairwise, as a tree: the factor below is met log n times instead of n times.
    while len(values) > 1:
        pairs = [_both(a, b, rounded) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = pairs + values[2 * len(pairs) :]
    return values[0]


def disjunction(values: Sequence[Any]) -> Any:
    """Positive where any value is, zero on the boundary of that set, whose corners point inwards, else negative."""
    return -conjunction([-value for value in values], rounded=False)


def bounded(value: Any) -> Any:
    """A value between −1 and 1 with the same sign: far outside of a set its function may be very large."""
    return value / jnp.sqrt(1 + value**2)


def _both(a: Any, b: Any, rounded: bool) -> Any:
    square = a**2 + b**2
    # √ has no derivative at zero, where the whole is zero.
    is_corner = square == 0
    safe = jnp.where(is_corner, 1.0, square)
    size = jnp.sqrt(safe)
    factor = size / jnp.sqrt(safe + ROUNDED**2) if rounded else 1.0
    return jnp.where(is_corner, 0.0, (a + b - size) * factor)

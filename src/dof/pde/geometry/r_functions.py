"""Smooth functions whose sign is that of a logical combination (R-functions of Rvachev).

With a and b positive inside of two sets and zero on their boundaries, s = √(a² + b²),

    a ∧ b = (a + b − s) · s² / (s² + ε²)

is positive where both are, zero on the boundary of the intersection, and negative elsewhere. The last factor makes
second derivatives continuous where a = b = 0, at corners; away from them it is close to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

ROUNDED = 0.25
"""ε: how far around a corner, relative to the size of a domain, the function is bent to be smooth. Less would make
larger second derivatives, more would flatten what is between two corners."""


def conjunction(values: Sequence[Any]) -> Any:
    """Positive where all values are, zero on the boundary of that set, negative outside of it."""
    values = list(values)
    # Pairwise, as a tree: the factor below is met log n times instead of n times.
    while len(values) > 1:
        pairs = [_both(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = pairs + values[2 * len(pairs) :]
    return values[0]


def disjunction(values: Sequence[Any]) -> Any:
    """Positive where any value is, zero on the boundary of that set, negative outside of it."""
    return -conjunction([-value for value in values])


def bounded(value: Any) -> Any:
    """A value between −1 and 1 with the same sign: far outside of a set its function may be very large."""
    return value / jnp.sqrt(1 + value**2)


def _both(a: Any, b: Any) -> Any:
    square = a**2 + b**2
    # √ has no derivative at zero, where the whole is zero with its first and second derivatives.
    is_corner = square == 0
    safe = jnp.where(is_corner, 1.0, square)
    return jnp.where(is_corner, 0.0, (a + b - jnp.sqrt(safe)) * safe / (safe + ROUNDED**2))

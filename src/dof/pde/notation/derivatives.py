"""The derivatives that a residual reads of its fields, each of them a linear operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class First:
    """∂/∂x_i."""

    i: int


@dataclass(frozen=True)
class Gradient:
    """∂/∂x_i for several coordinates i, on the last axis."""

    places: tuple[int, ...]


@dataclass(frozen=True)
class Second:
    """Σ ∂²/∂x_i∂x_j over pairs i ≤ j: one pair for u.xx or u.xy, all (i, i) for a Laplacian."""

    pairs: tuple[tuple[int, int], ...]

    @property
    def is_diagonal(self) -> bool:
        """Whether no pair is mixed."""
        return all(i == j for i, j in self.pairs)


@dataclass(frozen=True)
class Higher:
    """Σ ∂^e over monomials of an order above two, each a sorted tuple of coordinates, once or several times."""

    monomials: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Applied:
    """An operator of the user's. Two reads are equal if they apply the same object."""

    operator: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Applied) and other.operator is self.operator

    def __hash__(self) -> int:
        return id(self.operator)


Derivative = First | Gradient | Second | Higher | Applied


def pair(i: int, j: int) -> Second:
    """∂²/∂x_i∂x_j."""
    return Second(((min(i, j), max(i, j)),))


def biharmonic(places: Sequence[int]) -> Higher:
    """Σ ∂⁴/∂x_i²∂x_j² over some coordinates."""
    return Higher(tuple(tuple(sorted((i, i, j, j))) for i in places for j in places))


def laplacian(places: Sequence[int]) -> Second:
    """Σ ∂²/∂x_i² over some coordinates."""
    return Second(tuple((i, i) for i in places))

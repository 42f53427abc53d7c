"""Derivatives that a residual reads of its fields, each of them a linear operator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class First:
    """∂/∂x_i"""

    i: int


@dataclass(frozen=True)
class Gradient:
    """∂/∂x_i for several i, on the last axis."""

    places: tuple[int, ...]


@dataclass(frozen=True)
class Second:
    """Σ ∂²/∂x_i∂x_j over pairs i ≤ j: one pair for u.xx or u.xy, all of a kind for a Laplacian."""

    pairs: tuple[tuple[int, int], ...]

    @property
    def is_diagonal(self) -> bool:
        return all(i == j for i, j in self.pairs)


@dataclass(frozen=True, eq=False)
class Applied:
    """A `dof.Operator` of the user's. The same object is applied once only."""

    operator: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Applied) and other.operator is self.operator

    def __hash__(self) -> int:
        return id(self.operator)


Read = First | Gradient | Second | Applied


def pair(i: int, j: int) -> Second:
    return Second(((min(i, j), max(i, j)),))


def laplacian(places: list[int]) -> Second:
    return Second(tuple((i, i) for i in places))

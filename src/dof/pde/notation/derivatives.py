"""The derivatives that a residual reads of its fields, each of them a linear operator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """∂^e Δ^k of an order above two.

    A product, not the sum that it is when multiplied out: Δ² in 100 coordinates has 10,000 terms.

    Attributes:
        monomial: e as the sorted tuple of its coordinates, each as often as its exponent says.
        laplacians: k.
        places: the coordinates of Δ; none if k is zero.
    """

    monomial: tuple[int, ...]
    laplacians: int = 0
    places: tuple[int, ...] = ()


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


def laplacian(places: Sequence[int]) -> Second:
    """Σ ∂²/∂x_i² over some coordinates."""
    return Second(tuple((i, i) for i in places))


def derivative_of(monomial: Iterable[int], laplacians: int, places: Sequence[int]) -> Derivative:
    """∂^e Δ^k of an order above zero, where the Δ of a single coordinate is ∂²."""
    if len(places) == 1:
        monomial, laplacians = (*monomial, *[places[0]] * (2 * laplacians)), 0
    e = tuple(sorted(monomial))
    if len(e) + 2 * laplacians > 2:
        return Higher(e, laplacians, tuple(places) if laplacians else ())
    if laplacians:
        return laplacian(places)
    return First(*e) if len(e) == 1 else pair(*e)

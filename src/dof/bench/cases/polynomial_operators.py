"""Operators of an order above two that are measured, in the forms that the methods take them in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np


@dataclass(frozen=True)
class PowerSum:
    """Σ over directions of weight · (row · ∂)^order: what Taylor modes along one direction can do.

    Attributes:
        weights: (directions,).
        rows: (directions, inputs).
        order: of the derivative along each direction.
    """

    weights: np.ndarray
    rows: np.ndarray
    order: int


@dataclass(frozen=True)
class PolynomialOperator:
    """An operator with constant coefficients.

    Attributes:
        inputs: the number of coordinates.
        monomials: the coefficient of each ∂^e, where e is the sorted tuple of its coordinates.
        powers: the same operator as sums of powers.
        laplacians: k if the operator is Δ^k, else 0.
    """

    inputs: int
    monomials: dict[tuple[int, ...], float]
    powers: tuple[PowerSum, ...]
    laplacians: int = 0


def kdv() -> PolynomialOperator:
    """∂_t + ∂_x³, the linear part of the Korteweg–de Vries equation."""
    return _in_x_and_t({3: 1.0})


def kuramoto_sivashinsky() -> PolynomialOperator:
    """∂_t + ∂_x² + ∂_x⁴, the linear part of the Kuramoto–Sivashinsky equation."""
    return _in_x_and_t({2: 1.0, 4: 1.0})


def _in_x_and_t(of_x: dict[int, float]) -> PolynomialOperator:
    monomials = {(1,): 1.0, **{(0,) * order: c for order, c in of_x.items()}}
    along_x = [PowerSum(np.array([c]), np.array([[1.0, 0.0]]), order) for order, c in of_x.items()]
    return PolynomialOperator(2, monomials, (PowerSum(np.ones(1), np.array([[0.0, 1.0]]), 1), *along_x))


def biharmonic(inputs: int) -> PolynomialOperator:
    """Δ² = (1 − (d − 1) / 3) Σ ∂_i⁴ + Σ_{i<j} ((∂_i + ∂_j)⁴ + (∂_i − ∂_j)⁴) / 6."""
    units = np.eye(inputs)
    pairs = list(combinations(range(inputs), 2))
    monomials = {(i,) * 4: 1.0 for i in range(inputs)} | {(i, i, j, j): 2.0 for i, j in pairs}
    mixed = [units[i] + sign * units[j] for i, j in pairs for sign in (1, -1)]
    weights = np.array([1 - (inputs - 1) / 3] * inputs + [1 / 6] * len(mixed))
    return PolynomialOperator(inputs, monomials, (PowerSum(weights, np.array([*units, *mixed]), 4),), laplacians=2)

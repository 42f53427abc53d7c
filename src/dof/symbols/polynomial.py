"""Polynomials in ∂ with exact coefficients: the symbols of operators of any order.

A monomial is the sorted tuple of its coordinates: ∂_0² ∂_3 is (0, 0, 3), and the constant is (). Coefficients are
fractions, which hold every float exactly, so that whether two derivatives of a symbol are independent is never a
matter of rounding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import factorial, prod
from typing import Any

Monomial = tuple[int, ...]
Polynomial = Mapping[Monomial, Fraction]


def total(polynomials: Sequence[Polynomial]) -> dict[Monomial, Fraction]:
    """The sum of polynomials, without terms that cancel."""
    found: dict[Monomial, Fraction] = {}
    for polynomial in polynomials:
        for monomial, coefficient in polynomial.items():
            found[monomial] = found.get(monomial, Fraction(0)) + coefficient
    return {monomial: coefficient for monomial, coefficient in found.items() if coefficient}


def times(one: Polynomial, other: Polynomial) -> dict[Monomial, Fraction]:
    """The product of two polynomials: the symbol of the composition of two operators."""
    return total([{joined(m, n): a * b} for m, a in one.items() for n, b in other.items()])


def squares(rows: Any, weights: Any) -> dict[Monomial, Fraction]:
    """Σ_k weight_k (row_k · ∂)², exactly: rounding would make a matrix of full rank of one of low rank."""
    linear = [{(i,): Fraction(float(entry)) for i, entry in enumerate(row) if entry} for row in rows]
    scales = [Fraction(float(weight)) for weight in weights]
    return total([{m: w * c for m, c in times(row, row).items()} for w, row in zip(scales, linear, strict=True)])


def joined(one: Monomial, other: Monomial) -> Monomial:
    """The product of two monomials."""
    return tuple(sorted(one + other))


def without(monomial: Monomial, coordinate: int) -> Monomial:
    """The monomial with one factor less of a coordinate that it contains."""
    place = monomial.index(coordinate)
    return monomial[:place] + monomial[place + 1 :]


def factorials(monomial: Monomial) -> int:
    """e! = Π e_i! of a monomial with exponents e."""
    return prod(factorial(exponent) for exponent in Counter(monomial).values())


def divided(polynomial: Polynomial) -> dict[Monomial, Fraction]:
    """The coefficients of ∂^e / e! instead of those of ∂^e.

    In these, derivatives and P(ξ + η) have no binomials: (ξ + η)^e / e! = Σ_{p + q = e} ξ^p / p! · η^q / q!.
    """
    return {monomial: Fraction(coefficient) * factorials(monomial) for monomial, coefficient in polynomial.items()}


def splits(monomial: Monomial) -> Iterator[tuple[Monomial, Monomial]]:
    """All (p, q) with p q = monomial."""
    exponents = Counter(monomial)
    for taken in product(*(range(exponent + 1) for exponent in exponents.values())):
        pairs = list(zip(exponents.items(), taken, strict=True))
        first = tuple(i for (i, _), count in pairs for _ in range(count))
        yield first, tuple(i for (i, exponent), count in pairs for _ in range(exponent - count))

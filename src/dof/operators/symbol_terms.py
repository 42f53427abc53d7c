"""The terms g(x) P(∂) that an operator of order two, one or zero consists of, with polynomials P that are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dof.directions.known_while_tracing import is_known
from dof.directions.matrix_forms import Diagonal, LowRank, Matrix, dense
from dof.operators.coefficients import read_a, read_b, read_c
from dof.operators.composition import ComposedCoefficient
from dof.operators.coordinates import Coordinates
from dof.operators.linear_operator import LinearOperator
from dof.operators.terms import Term, times
from dof.symbols import polynomial
from dof.symbols.polynomial import Monomial, Polynomial

ONE, TWO = Fraction(1), np.asarray(2.0)

Composed = Callable[[LinearOperator, LinearOperator], Iterable["SymbolTerm"]]
"""The terms of the composition of two operators."""


class SymbolTerm(NamedTuple):
    """g(x) P(∂).

    Attributes:
        factors: g as a product of arrays and functions of x; none for g = 1.
        symbol: P.
    """

    factors: tuple[Any, ...]
    symbol: Polynomial

    @property
    def varies(self) -> bool:
        """Whether g is a function of x."""
        return any(map(callable, self.factors))


def terms_of(operator: LinearOperator, x: Any, coordinates: Coordinates, composed: Composed) -> Iterable[SymbolTerm]:
    """The terms of an operator.

    Args:
        operator: the operator.
        x: a point, at which coefficients that are functions show their form (diagonal, blocks, dense).
        coordinates: of x.
        composed: for coefficients that come from compositions.
    """
    for terms, degree in ((operator.a, 2), (operator.b, 1), (operator.c, 0)):
        for term in terms:
            factors, exact = _scale_of(term)
            for factors_of_value, symbol in _unscaled(term.value, degree, x, coordinates, composed):
                yield SymbolTerm((*factors, *factors_of_value), {m: exact * c for m, c in symbol.items()})


def _scale_of(term: Term) -> tuple[list[Any], Fraction]:
    """The scales of a term: (functions of x and numbers that are known at run time only, product of all others)."""
    exact, factors = ONE, []
    for scale in term.scales:
        number = None if callable(scale) else read_c(scale, "scale")
        if number is not None and _is_exact(number):
            exact *= Fraction(float(number))
        else:
            factors.append((lambda x, s=scale: read_c(s(x), "scale")) if number is None else number)
    return factors, exact


def _unscaled(value: Any, degree: int, x: Any, coordinates: Coordinates, composed: Composed) -> Iterable[SymbolTerm]:
    """The terms of a coefficient of ∂_i ∂_j, ∂_i or 1: one if it is known, else one for each monomial."""
    if isinstance(value, ComposedCoefficient):
        all_degrees = composed(value.first, value.second)
        parts = (SymbolTerm(f, {m: c for m, c in p.items() if len(m) == degree}) for f, p in all_degrees)
        return [part for part in parts if part.symbol]
    if callable(value):
        support = _entries(value(x), degree, coordinates)
        return [SymbolTerm((_entry_at(value, monomial),), {monomial: ONE}) for monomial in support]
    if degree == 2 and isinstance(matrix := read_a(value, coordinates), LowRank) and _is_exact_rows(matrix):
        return [SymbolTerm((), polynomial.squares(*matrix))]
    entries = _entries(value, degree, coordinates)
    if all(map(_is_exact, entries.values())):
        return [SymbolTerm((), {m: Fraction(float(entry)) for m, entry in entries.items() if entry != 0})]
    return [SymbolTerm((entry,), {monomial: ONE}) for monomial, entry in entries.items()]


def _entry_at(function: Callable[[Any], Any], monomial: Monomial) -> Callable[[Any], Any]:
    return lambda x: _entries(function(x), len(monomial), Coordinates.of(x))[monomial]


def _is_exact(number: Any) -> bool:
    """Whether a coefficient is a real number that is known while tracing."""
    return is_known(number) and not np.iscomplexobj(number)


def _is_exact_rows(matrix: LowRank) -> bool:
    return all(map(_is_exact, matrix))


def _entries(value: Any, degree: int, coordinates: Coordinates) -> dict[Monomial, Any]:
    """The coefficients of all ∂_i ∂_j (i ≤ j), ∂_i or 1 that the form of a coefficient has, whatever their values."""
    if degree == 0:
        return {(): read_c(value)}
    if degree == 1:
        vector = read_b(value, coordinates)
        return {(i,): _scalar(vector, i) for i in range(coordinates.size)}
    matrix = read_a(value, coordinates)
    if isinstance(matrix, Diagonal):
        return {(i, i): _scalar(matrix.entries, i) for i in range(coordinates.size)}
    full = dense(matrix)
    return {(i, j): times(None if i == j else TWO, _scalar(full, i, j)) for i, j in _pairs(matrix, coordinates)}


def _pairs(matrix: Matrix, coordinates: Coordinates) -> list[tuple[int, int]]:
    """The (i, j), i ≤ j, at which a matrix may have entries other than zero."""
    blocks = [b.shape[-1] for b in getattr(matrix, "stacks", ()) for _ in range(len(b))] or [coordinates.size]
    starts = np.cumsum([0, *blocks[:-1]]).tolist()
    return [(s + i, s + j) for s, n in zip(starts, blocks, strict=True) for i in range(n) for j in range(i, n)]


def _scalar(array: Any, *index: int) -> Any:
    """An entry as an array without axes, known if the array is."""
    return np.asarray(array[index]) if is_known(array) else array[index]

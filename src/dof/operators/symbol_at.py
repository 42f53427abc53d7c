"""An operator of any order at x: Σ_k g_k(x) P_k(∂) with polynomials P_k that are known.

Compositions are written in this form by Leibniz' rule, g P(∂) ∘ h Q(∂) = Σ_α g (∂^α h) · P^(α)(∂) / α! · Q(∂).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.known_while_tracing import is_known
from dof.directions.matrix_forms import Diagonal, LowRank, Matrix, dense
from dof.operators.coefficients import read_a, read_b, read_c
from dof.operators.composition import ComposedCoefficient
from dof.operators.coordinates import Coordinates
from dof.operators.higher_order import products_of
from dof.operators.linear_operator import LinearOperator
from dof.operators.terms import Term, at, times
from dof.promotion import own_promotion
from dof.symbols import polynomial
from dof.symbols.polynomial import Monomial, Polynomial, factorials, splits
from dof.typing import Array

ONE, TWO = Fraction(1), np.asarray(2.0)


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


class Symbol(NamedTuple):
    """An operator at x.

    Attributes:
        known: P_0 with the coefficients that are known while tracing.
        rest: (g_k, P_k), where g_k is a scalar that depends on x or is known at run time only.
    """

    known: Polynomial
    rest: tuple[tuple[Array, Polynomial], ...]

    @property
    def symbols(self) -> list[Polynomial]:
        """All polynomials that are read off."""
        return [self.known, *(symbol for _, symbol in self.rest)]


def symbol_of(monomials: Iterable[Monomial]) -> Symbol:
    """Σ ∂^e over monomials, some of which may be there several times."""
    return Symbol(polynomial.total([{monomial: ONE} for monomial in monomials]), ())


def combined_symbol(terms: Iterable[tuple[float, Symbol]]) -> Symbol:
    """Σ_k c_k S_k with numbers c_k."""
    each = [(Fraction(c), symbol) for c, symbol in terms if c]
    known = polynomial.total([{m: c * b for m, b in symbol.known.items()} for c, symbol in each])
    rest = [(g, {m: c * b for m, b in p.items()}) for c, symbol in each for g, p in symbol.rest]
    return Symbol(known, tuple(rest))


def symbol_at(operator: Any, x: Any) -> Symbol:
    """The operator at x, of any order."""
    coordinates = Coordinates.of(x)
    with own_promotion():
        terms = [t for p in products_of(operator) for t in reduce(_composed_with(x), _each_factor(p, x, coordinates))]
        known = polynomial.total([term.symbol for term in terms if not term.factors])
        rest = tuple((_value(term.factors, x), term.symbol) for term in terms if term.factors and term.symbol)
    return Symbol(known, rest)


def _each_factor(product: Iterable[LinearOperator], x: Any, coordinates: Coordinates) -> list[list[SymbolTerm]]:
    return [list(_terms_of(operator, x, coordinates)) for operator in product]


def _value(factors: tuple[Any, ...], x: Any) -> Any:
    return reduce(times, (at(factor, x) for factor in factors))


def _composed_with(x: Any) -> Callable[[list[SymbolTerm], list[SymbolTerm]], list[SymbolTerm]]:
    return lambda first, second: [term for one in first for other in second for term in _composed(one, other, x)]


def _composed(one: SymbolTerm, other: SymbolTerm, x: Any) -> list[SymbolTerm]:
    """The terms of g P(∂) ∘ h Q(∂)."""
    if not other.varies:
        return [SymbolTerm(one.factors + other.factors, polynomial.times(one.symbol, other.symbol))]
    found = []
    for index, derivative in _all_derivatives(one.symbol).items():
        factors = other.factors if not index else (_partial(other.factors, index),)
        found.append(SymbolTerm(one.factors + factors, polynomial.times(derivative, other.symbol)))
    return found


def _all_derivatives(symbol: Polynomial) -> dict[Monomial, Polynomial]:
    """P^(α) / α! by α, for all α for which it is not zero."""
    found: dict[Monomial, dict[Monomial, Fraction]] = {}
    for monomial, coefficient in symbol.items():
        for index, rest in splits(monomial):
            binomial = Fraction(factorials(monomial), factorials(index) * factorials(rest))
            found.setdefault(index, {})[rest] = coefficient * binomial
    return dict(found)


def _partial(factors: tuple[Any, ...], index: Monomial) -> Callable[[Any], Any]:
    """∂^α of a product of functions of x, as a function of x."""

    def derivative(function: Callable[[Any], Any], i: int) -> Callable[[Any], Any]:
        def along(x: Any) -> Any:
            coordinates = Coordinates.of(x)
            tangent = coordinates.point(np.eye(coordinates.size)[i])
            return jax.jvp(function, (x,), (tangent,))[1]

        return along

    return reduce(derivative, index, lambda x: jnp.asarray(_value(factors, x)))


def _terms_of(operator: LinearOperator, x: Any, coordinates: Coordinates) -> Iterable[SymbolTerm]:
    for terms, degree in ((operator.a, 2), (operator.b, 1), (operator.c, 0)):
        for term in terms:
            factors, exact = _scale_of(term)
            for factors_of_value, symbol in _unscaled(term.value, degree, x, coordinates):
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


def _unscaled(value: Any, degree: int, x: Any, coordinates: Coordinates) -> Iterable[SymbolTerm]:
    """The terms of a coefficient of ∂_i ∂_j, ∂_i or 1: one if it is known, else one for each monomial."""
    if isinstance(value, ComposedCoefficient):
        composed = _composed_with(x)(*_each_factor((value.first, value.second), x, coordinates))
        parts = (SymbolTerm(f, {m: c for m, c in p.items() if len(m) == degree}) for f, p in composed)
        return [part for part in parts if part.symbol]
    if callable(value):
        support = _entries(value(x), degree, coordinates)
        return [SymbolTerm((_entry_at(value, monomial),), {monomial: ONE}) for monomial in support]
    if degree == 2 and isinstance(matrix := read_a(value, coordinates), LowRank) and _is_exact_rows(matrix):
        return [SymbolTerm((), _square_of_rows(matrix))]
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


def _square_of_rows(matrix: LowRank) -> Polynomial:
    """Σ_k weight_k (row_k · ∂)², exactly: rounding would make a matrix of full rank of one of low rank."""
    rows = [{(int(i),): Fraction(float(row[i])) for i in np.flatnonzero(row)} for row in matrix.rows]
    squares = [
        {m: Fraction(float(w)) * c for m, c in polynomial.times(row, row).items()}
        for w, row in zip(matrix.weights, rows, strict=True)
    ]
    return polynomial.total(squares)


def _pairs(matrix: Matrix, coordinates: Coordinates) -> list[tuple[int, int]]:
    """The (i, j), i ≤ j, at which a matrix may have entries other than zero."""
    blocks = [b.shape[-1] for b in getattr(matrix, "stacks", ()) for _ in range(len(b))] or [coordinates.size]
    starts = np.cumsum([0, *blocks[:-1]]).tolist()
    return [(s + i, s + j) for s, n in zip(starts, blocks, strict=True) for i in range(n) for j in range(i, n)]


def _scalar(array: Any, *index: int) -> Any:
    """An entry as an array without axes, known if the array is."""
    return np.asarray(array[index]) if is_known(array) else array[index]

"""An operator of any order at x: Σ_k g_k(x) P_k(∂) with polynomials P_k that are known.

Compositions are written in this form by Leibniz' rule, g P(∂) ∘ h Q(∂) = Σ_α g (∂^α h) · P^(α)(∂) / α! · Q(∂).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import reduce
from math import inf, prod
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.operators.coordinates import Coordinates
from dof.operators.higher_order import products_of
from dof.operators.linear_operator import LinearOperator
from dof.operators.symbol_terms import ONE, SymbolTerm, terms_of
from dof.operators.terms import at, times
from dof.promotion import own_promotion
from dof.symbols import polynomial
from dof.symbols.polynomial import Monomial, Polynomial, factorials, splits
from dof.typing import Array


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
    found = symbol_unless_large(operator, x, inf)
    assert found is not None
    return found


def symbol_unless_large(operator: Any, x: Any, most: float) -> Symbol | None:
    """The operator at x; None if it may have more than `most` monomials, which is found out before making them."""
    with own_promotion():
        products = [_terms_of_factors(product, x) for product in products_of(operator)]
        if sum(prod(map(_size, factors)) for factors in products) > most:
            return None
        terms = [term for factors in products for term in _multiplied(factors)]
        known = polynomial.total([term.symbol for term in terms if not term.factors])
        rest = tuple((_value(term.factors, x), term.symbol) for term in terms if term.factors and term.symbol)
    return Symbol(known, rest)


def _terms_of_factors(product: Iterable[LinearOperator], x: Any) -> list[list[SymbolTerm]]:
    """The terms of each factor of a product of operators."""
    of_pair = lambda *pair: _multiplied(_terms_of_factors(pair, x))  # noqa: E731
    return [list(terms_of(factor, x, Coordinates.of(x), of_pair)) for factor in product]


def _size(terms: Iterable[SymbolTerm]) -> int:
    # By Leibniz' rule an operator of order two on the left makes up to four terms of one that varies.
    return sum(len(term.symbol) * (4 if term.varies else 1) for term in terms)


def _multiplied(factors: Iterable[list[SymbolTerm]]) -> list[SymbolTerm]:
    """The terms of a product, from those of its factors."""
    return reduce(lambda first, second: [t for a in first for b in second for t in _composed(a, b)], factors)


def _value(factors: tuple[Any, ...], x: Any) -> Any:
    return reduce(times, (at(factor, x) for factor in factors))


def _composed(one: SymbolTerm, other: SymbolTerm) -> list[SymbolTerm]:
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

"""Arithmetic of columns: they multiply as elements of a commutative algebra with the constants C of a span.

A jet is its value plus a nilpotent part, the other columns: a product of more of them than the order of the operator
is zero. So quotients and power series are finite sums. Columns are arrays of any framework: + and * are all they need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import mul
from typing import Any

from dof.none_as_zero import add
from dof.symbols.span import Span

Product = Callable[[Any, Any], Any]
Columns = dict[int, Any]
"""Columns by number, each in the shape of the value or broadcasting to it; those that are left out are zero."""


def nilpotent_product(span: Span, x: Columns, y: Columns, multiply: Product = mul) -> Columns:
    """The product of two nilpotent parts; `multiply` is x · y, or a bilinear map of one column of each."""
    found = {i: column_of_product(span, i, x, y, multiply) for i in range(len(span))}
    return {i: column for i, column in found.items() if column is not None}


def column_of_product(span: Span, i: int, x: Columns, y: Columns, multiply: Product = mul) -> Any:
    """Column i of the product of two nilpotent parts; None if it is zero."""
    # Pairs of equal weight are added up before they are multiplied with it.
    by_weight: dict[float, Any] = {}
    for j, k, weight in span.pairs[i]:
        one = multiply(x[j], y[k]) if j in x and k in y else None
        if j != k and x is y and multiply is mul:
            weight *= 2  # both terms of the pair are the same in a square
        elif j != k:
            one = add(one, multiply(x[k], y[j]) if k in x and j in y else None)
        by_weight[weight] = add(by_weight.get(weight), one)
    total = None
    for weight, column in by_weight.items():
        total = add(total, _weighted(weight, column))
    return total


def _weighted(weight: float, column: Any) -> Any:
    return column if column is None or weight == 1 else weight * column


def product(span: Span, x0: Any, x: Columns, y0: Any, y: Columns) -> Columns:
    """The columns of (x0 + x)(y0 + y) besides its value x0 y0."""
    crossed = nilpotent_product(span, x, y)
    terms = ({i: x0 * column for i, column in y.items()}, {i: column * y0 for i, column in x.items()}, crossed)
    return sums(terms)


def sums(terms: Sequence[Columns]) -> Columns:
    """The columns of a sum."""
    numbers = sorted({i for columns in terms for i in columns})
    found: Columns = {}
    for i in numbers:
        for columns in terms:
            found[i] = add(found.get(i), columns.get(i))
    return found


def quotient(span: Span, z0: Any, x: Columns, y0: Any, y: Columns) -> Columns:
    """The columns of z = (x0 + x) / (y0 + y) besides its value z0, from z y = x.

    Columns are in the order of their degrees, and those of z that column i of the product z y reads are of lower
    degree. So each is solved for in turn, and no power of 1 / y0 is formed, which would overflow for small y0.
    """
    z: Columns = {}
    for i in range(1, len(span)):
        known = add(None if i not in y else z0 * y[i], column_of_product(span, i, z, y))
        rest = add(x.get(i), None if known is None else -known)
        if rest is not None:
            z[i] = rest / y0
    return z


def series(span: Span, coefficients: Sequence[Any], n: Columns) -> Columns:
    """Σ_k coefficients[k − 1] n^k for k = 1, 2, …, where None stands for a coefficient of zero.

    Args:
        span: the span.
        coefficients: f^(k)(v) / k! for k = 1 up to the order of the operator.
        n: the nilpotent part of the argument.
    """
    terms: list[Columns] = []
    last = max((k for k, t in enumerate(coefficients, 1) if t is not None), default=0)
    for coefficient, power in zip(coefficients[:last], powers(span, n), strict=False):
        terms += [] if coefficient is None else [{i: coefficient * column for i, column in power.items()}]
    return sums(terms)


def powers(span: Span, n: Columns) -> list[Columns]:
    """n, n², n³, … up to the last that is not zero."""
    found = [n]
    while found[-1]:
        # Halves that are equal or differ by one: columns of lower degree are zero in both, so that fewest pairs are
        # left, and in a square every pair is one product.
        k = len(found) + 1
        found.append(nilpotent_product(span, found[k - k // 2 - 1], found[k // 2 - 1]))
    return found[:-1]


def multiplied(span: Span, factors: Sequence[Columns]) -> Columns:
    """The product of nilpotent parts, of at least one."""
    first, *others = factors
    for other in others:
        first = nilpotent_product(span, first, other)
    return first


def ordered_pairs(span: Span, i: int) -> list[tuple[int, int, float]]:
    """All (j, k, weight) with column i of a product equal to Σ weight x_j y_k, where column 0 is the value."""
    found: list[tuple[int, int, float]] = [(0, i, 1.0), (i, 0, 1.0)]
    for j, k, weight in span.pairs[i]:
        found += [(j, k, weight)] if j == k else [(j, k, weight), (k, j, weight)]
    return found


def combination(weights: Mapping[Any, Any], terms: Mapping[Any, Any]) -> Any:
    """Σ_i weights[i] · terms[i] over the terms that there are; None if there are none."""
    total = None
    for i in sorted(set(weights) & set(terms)):
        total = add(total, _weighted(weights[i], terms[i]))
    return total

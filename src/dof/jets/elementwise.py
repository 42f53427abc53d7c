"""Elementwise functions of jets: f(v + n) = Σ_k f^(k)(v) n^k / k!, with the powers of the nilpotent part n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dof.jax_compat import JaxprEqn, bind
from dof.jaxpr.first_order_rules import Function, function_of
from dof.jets.jet import columns_of, stacked, values_of
from dof.jets.taylor_by_hand import BY_HAND, power
from dof.jets.taylor_nested import MixedTaylor, nested_taylor
from dof.symbols.column_algebra import Columns, multiplied, powers, product, quotient, series, sums
from dof.symbols.span import Span
from dof.triples.triple import is_smooth, varying_operands


def elementwise(span: Span, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """The jets of the result of an elementwise primitive."""
    name, values, varying = eqn.primitive.name, values_of(operands), varying_operands(operands)
    function = function_of(eqn.primitive, eqn.params)
    if name == "pow" and varying == (0,):
        return _of_one(span, eqn, operands, power(values[0], values[1], span.order))
    if name in BY_HAND:
        (y,) = bind(eqn.primitive, values, eqn.params)
        return [_series(span, y, operands[0], BY_HAND[name](values[0], y, span.order, **eqn.params))]
    found = nested_taylor(function, varying, values, span.order)
    assert found is not None
    return of_taylor(span, function, operands, found)


def _of_one(span: Span, eqn: JaxprEqn, operands: Sequence[Any], coefficients: Sequence[Any]) -> list[Any]:
    (value,) = bind(eqn.primitive, values_of(operands), eqn.params)
    return [_series(span, value, operands[0], coefficients)]


def _series(span: Span, value: Any, x: Any, coefficients: Sequence[Any]) -> Any:
    return stacked(value, series(span, coefficients, columns_of(x)))


def of_taylor(span: Span, function: Function, operands: Sequence[Any], found: Sequence[MixedTaylor]) -> list[Any]:
    """The jets of an elementwise function of several operands, by the mixed Taylor coefficients of its results."""
    values = function(*values_of(operands))
    each = iter(found)
    by_operand = {i: powers(span, columns_of(operands[i])) for i in varying_operands(operands)}
    return [stacked(v, _mixed_series(span, by_operand, next(each))) if is_smooth(v) else v for v in values]


def _mixed_series(span: Span, by_operand: dict[int, list[Columns]], taylor: MixedTaylor) -> Columns:
    """Σ_α ∂^α f / α! Π_i n_i^α_i."""
    terms: list[Columns] = []
    for index, coefficient in taylor.items():
        exponents = Counter(index)
        # A power beyond the last that is not zero makes the whole term zero.
        if all(k <= len(by_operand[i]) for i, k in exponents.items()):
            term = multiplied(span, [by_operand[i][k - 1] for i, k in exponents.items()])
            terms.append({n: coefficient * column for n, column in term.items()})
    return sums(terms)


def elementwise_product(span: Span, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """x · y of two operands that both depend on x."""
    (x0, y0), (x, y) = values_of(operands), map(columns_of, operands)
    (value,) = bind(eqn.primitive, [x0, y0], eqn.params)
    # A square has one product where x · y has two; the interpreter hands the same jet over twice.
    x, y = (x, x) if operands[0] is operands[1] else (x, y)
    return [stacked(value, product(span, x0, x, y0, y))]


def elementwise_quotient(span: Span, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """x / y with a y that depends on x."""
    (x0, y0), (x, y) = values_of(operands), map(columns_of, operands)
    (value,) = bind(eqn.primitive, [x0, y0], eqn.params)
    return [stacked(value, quotient(span, value, x, y0, y))]

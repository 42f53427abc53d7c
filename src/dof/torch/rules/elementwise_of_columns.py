"""Elementwise operations of columns: f(v + n) = Σ_k f^(k)(v) n^k / k!, with the powers of the nilpotent part n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

from torch import Tensor

from dof.symbols.column_algebra import Columns, multiplied, powers, quotient, series, sums
from dof.symbols.span import Span
from dof.torch.jets.columns import by_number, stacked
from dof.torch.jets.taylor_by_hand import BY_HAND
from dof.torch.operation_call import Call
from dof.torch.registry import aten
from dof.torch.rules.shapes import lifted


def is_by_hand(call: Call) -> bool:
    """Whether there are Taylor coefficients by hand, or a quotient."""
    return call.func is aten.div.Tensor or (call.func in BY_HAND and len(call.triples) == 1)


def by_hand(call: Call, value: Tensor) -> Any:
    """The result of a function whose Taylor coefficients are written by hand, or of a quotient."""
    span: Span = call.form.span
    if call.func is aten.div.Tensor:
        return call.triple(value, stacked(span, value, _quotient(span, call, value)), None)
    (x,) = call.triples
    coefficients = BY_HAND[call.func](x.value, value, span.order, call)
    return call.triple(value, stacked(span, value, series(span, coefficients, by_number(x.tangents))), None)


def _quotient(span: Span, call: Call, value: Tensor) -> Columns:
    x, y = call.args[:2]
    divisor = y.value if call.is_operand(y) else y
    return quotient(span, value, _columns(call, x, value), divisor, _columns(call, y, value))


def _columns(call: Call, operand: Any, value: Tensor) -> Columns:
    """The columns of an operand, as they broadcast to the value of the result."""
    if not call.is_operand(operand) or operand.tangents is None:
        return {}
    return by_number(lifted(operand.tangents, operand.value, value))


def by_derivatives(call: Call, value: Tensor, at: Callable[..., Any]) -> Any:
    """The result of any elementwise operation, Σ_α ∂^α f / α! Π_i n_i^α_i.

    Args:
        call: the operation.
        value: its value.
        at: at(i, j, …) is the derivative of one element in the triples i, j, … of the call.
    """
    span: Span = call.form.span
    each = [powers(span, _columns(call, operand, value)) for operand in call.triples]
    terms: list[Columns] = []
    for degree in range(1, span.order + 1):
        for index in combinations_with_replacement(range(len(each)), degree):
            exponents = Counter(index)
            # A power beyond the last that is not zero makes the whole term zero.
            if all(k <= len(each[i]) for i, k in exponents.items()):
                coefficient = at(*index) / prod(map(factorial, exponents.values()))
                term = multiplied(span, [each[i][k - 1] for i, k in exponents.items()])
                terms.append({n: coefficient * column for n, column in term.items()})
    return call.triple(value, stacked(span, value, sums(terms)), None)

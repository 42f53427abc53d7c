"""The general rule: any F that JAX can differentiate as often as the order says.

With v(t) = v_0 + Σ_j t^(p_j) v_j, where p_j is the pivot of column j, the columns of v(t) at t = 0 are those of the
operand. Columns of F(v) depend on those of v only, so B_i(∂_t) F(v(t)) at t = 0 is column i of the result. It is found
by nested jvp in the few numbers t, exactly, in 2^k evaluations for a derivative of order k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import mul
from typing import Any

import jax
import jax.numpy as jnp

from dof.jaxpr.first_order_rules import Function, restrict
from dof.jets.jet import columns_of, stacked, values_of
from dof.symbols.column_algebra import Columns, combination
from dof.symbols.polynomial import Monomial, factorials
from dof.symbols.span import Span
from dof.triples.triple import is_smooth, varying_operands


def general(span: Span, function: Function, operands: Sequence[Any]) -> list[Any]:
    """The jets of `function`, a function of arrays that returns a list of arrays."""
    values = function(*values_of(operands))
    smooth = [i for i, value in enumerate(values) if is_smooth(value)]
    if not smooth:
        return values
    active = varying_operands(operands)
    of_active, primals = restrict(function, values_of(operands), active, smooth)
    moved = [columns_of(operands[i]) for i in active]

    def along_path(t: dict[int, Any]) -> list[Any]:
        return of_active(*(_at(span, t, v, columns) for v, columns in zip(primals, moved, strict=True)))

    derivatives = _derivatives(span, along_path, jnp.finfo(jnp.result_type(float, *primals)).dtype)
    columns = [_columns(span, [by[n] for by in derivatives.values()], list(derivatives)) for n in range(len(smooth))]
    found = dict(zip(smooth, columns, strict=True))
    return [stacked(v, found[i]) if i in found else v for i, v in enumerate(values)]


def _at(span: Span, t: dict[int, Any], value: Any, columns: Columns) -> Any:
    """v(t)."""
    for j, column in columns.items():
        weight = reduce(mul, (t[i] for i in span.pivots[j]))
        value = value + (weight * column).astype(jnp.result_type(value))
    return value


def _derivatives(span: Span, function: Callable[[dict[int, Any]], list[Any]], dtype: Any) -> dict[Monomial, list[Any]]:
    """∂^e / e! of a function of the numbers t at t = 0, for all monomials of the span besides the constant."""
    wanted = sorted({e for row in span.rows for e in row if e}, key=len)
    coordinates = sorted({i for e in wanted for i in e})
    at_zero = {i: jnp.zeros((), dtype) for i in coordinates}
    by_monomial = {e: reduce(_along, e, function)(at_zero) for e in wanted}
    return {e: [d / factorials(e) for d in found] for e, found in by_monomial.items()}


def _along(function: Callable[[dict[int, Any]], list[Any]], i: int) -> Callable[[dict[int, Any]], list[Any]]:
    """∂/∂t_i of a function of the numbers t."""

    def derivative(t: dict[int, Any]) -> list[Any]:
        return jax.jvp(lambda number: function({**t, i: number}), (t[i],), (jnp.ones_like(t[i]),))[1]

    return derivative


def _columns(span: Span, derivatives: Sequence[Any], monomials: Sequence[Monomial]) -> Columns:
    by_monomial = dict(zip(monomials, derivatives, strict=True))
    found: Columns = {}
    for i, row in enumerate(span.rows[1:], 1):
        found[i] = combination({e: float(b) for e, b in row.items()}, by_monomial)
    return found

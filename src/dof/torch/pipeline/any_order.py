"""Operators of which one is of an order above two: by the columns of their span, or one factor after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dof.operators.higher_order import HigherOrder, products_of
from dof.symbols.span import Span, cached_span_of
from dof.torch.cache_by_coefficients import Kept, content_of_operators
from dof.torch.jets.column_form import ColumnForm
from dof.torch.jets.readout import ColumnReading
from dof.torch.jets.symbol_at import OrderTwo, in_pairs, symbol_at
from dof.torch.pipeline.order_two import propagate_order_two
from dof.torch.pipeline.propagated import Nested, Propagated, zip_outputs
from dof.torch.pipeline.run_function import run_function
from dof.torch.propagation import NeedsNesting, Propagation

MOST_PRODUCTS = 1000
"""Products of columns from which on factors are applied one after another. A training step with Δ² in 5, 8 and 12
dimensions, 90, 228 and 510 products, takes 0.54, 0.81 and 0.72 of the time of nesting (4 layers of 64, 512 points)."""


_PLANS = Kept()


def propagate_any_order(
    f: Callable[[Any], Any], operators: Sequence[Any], x: Tensor, log: list[Any] | None
) -> Propagated | Nested:
    """L f for operators of any order at the points x."""
    key = content_of_operators(operators)
    plan = lambda: _plan(operators, x)  # noqa: E731
    found = plan() if key is None else _PLANS.of((x.shape[-1], x.dtype, key), plan)
    try:
        if isinstance(found, str):
            raise NeedsNesting(found)
        return _by_columns(f, found, x, log)
    except NeedsNesting as reason:
        return _one_after_another(f, operators, x, str(reason), log)


class _Columns(NamedTuple):
    """The columns of all operators, and how each is read off them."""

    span: Span
    readings: Sequence[ColumnReading]


def _plan(operators: Sequence[Any], x: Tensor) -> _Columns | str:
    """What one propagation of all operators carries, or why there is none. It takes 25 ms for Δ² with N = 60."""
    try:
        symbols = [symbol_at(operator, x) for operator in operators]
    except NeedsNesting as reason:
        return str(reason)
    span = cached_span_of(polynomial for symbol in symbols for _, polynomial in symbol)
    if span.products > MOST_PRODUCTS:
        return f"{len(span)} columns have {span.products} products, each of which is an operation"
    return _Columns(span, [ColumnReading.of_symbol(span, symbol) for symbol in symbols])


def _by_columns(f: Callable[[Any], Any], plan: _Columns, x: Tensor, log: list[Any] | None) -> Propagated:
    """One propagation of the columns of all operators."""
    span, readings = plan
    run = Propagation(ColumnForm(span), None if log is None else [])
    output = run_function(f, x, _seed(span, x), None, run)
    if log is not None:
        log.extend(run.log or ())
    return Propagated(output, len(span) - 1, readings, run, span.meanings())


def _seed(span: Span, x: Tensor) -> Tensor | None:
    """The columns of x, (K − 1, 1, …, N): B_i x_j is the coefficient of ∂_j in B_i."""
    columns = torch.zeros(len(span) - 1, x.shape[-1], dtype=torch.float64)
    for i in range(1, len(span)):
        for j, entry in span.first_order(i).items():
            columns[i - 1, j] = entry
    if columns.numel() and columns.abs().max() > torch.finfo(x.dtype).max ** 0.5:
        raise NeedsNesting(f"columns that are multiples by {columns.abs().max():.1e} would overflow in {x.dtype}")
    placed = columns.to(dtype=x.dtype, device=x.device).reshape(-1, *[1] * (x.dim() - 1), x.shape[-1])
    return placed if len(placed) else None


def _one_after_another(
    f: Callable[[Any], Any], operators: Sequence[Any], x: Tensor, why: str, log: list[Any] | None
) -> Nested:
    """Operators of an order above two factor by factor, each by itself; the others by one propagation."""
    others = [operator for operator in operators if not isinstance(operator, HigherOrder)]
    together = propagate_order_two(f, others or [OrderTwo(())], x, log)
    read = iter(together.readings)
    results = [
        _nested(operator, f, x, log) if isinstance(operator, HigherOrder) else _read(together, next(read))
        for operator in operators
    ]
    return Nested(together.each(lambda value, *_: value), results, why)


def _read(propagated: Propagated, reading: Any) -> Any:
    return propagated.each(lambda value, applied, tangents: reading.of(value, applied))


def _nested(operator: Any, f: Callable[[Any], Any], x: Tensor, log: list[Any] | None) -> Any:
    """L f at x, each factor of a product applied to what those on its right give; the last one's steps are logged."""
    each = []
    for product in products_of(operator):
        *others, last = in_pairs(product, x)
        each.append(reduce(_applied, reversed(others), _applied(f, last, log)))
    return zip_outputs(lambda *parts: sum(parts[1:], parts[0]), [function(x) for function in each])


def _applied(g: Callable[[Any], Any], factor: Any, log: list[Any] | None = None) -> Callable[[Tensor], Any]:
    """A factor of order two, one or zero applied to g."""

    def at(x: Tensor) -> Any:
        propagated = propagate_order_two(g, [factor], x, log)
        return _read(propagated, *propagated.readings)

    return at

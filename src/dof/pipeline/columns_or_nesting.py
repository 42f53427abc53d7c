"""Columns of symbols or nesting: what each carries is counted, and the fewer are taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import jax

from dof.jaxpr.trace_log import CutEntry, Log
from dof.jets.readout import common_span
from dof.operators.higher_order import products_of
from dof.operators.symbol_at import Symbol, symbol_unless_large
from dof.options import Options
from dof.pipeline.function_of_x import Call
from dof.pipeline.order_two import propagate_order_two

MOST_PRODUCTS = 1000
"""Products of columns up to which the algebra is taken. Δ² of an MLP with 3 hidden layers of 64 or 256 has 0.72 or 0.6
of the operations of nesting for any number of coordinates, but each product is some equations more: in 3, 8, 12 and 16
coordinates (33, 228, 510 and 904 products) it took 0.5, 2.3, 4.5 and 8 CPU seconds to trace and compile, where nesting
took 0.8 to 1.1. A round number above the last of these."""

MOST_MONOMIALS = 20_000
"""Monomials of an operator up to which it is written out to look for its span. Δ² of 100 coordinates counts 10,000, and
its span has 5,252 columns, far more than the algebra is taken for. A round number; its place is not measured."""


class Way(NamedTuple):
    """How operators of any order are applied.

    Attributes:
        symbols: those whose columns are carried; None for nesting.
        why: in words.
    """

    symbols: list[Symbol] | None
    why: str


def cheaper_way(call: Call, operators: Sequence[Any], options: Options) -> Way:
    """Columns where they are fewer than those of nesting, whose order-two pieces may pass a cut."""
    if options.in_groups:
        return Way(None, "groups are of directions, which the factors of an operator have")
    x = call.x
    symbols = [symbol_unless_large(operator, x, MOST_MONOMIALS) for operator in operators]
    known = [symbol for symbol in symbols if symbol is not None]
    if len(known) < len(symbols):
        return Way(None, f"the operator has more than {MOST_MONOMIALS} monomials")
    span = common_span(known)
    if span.products > MOST_PRODUCTS:
        return Way(None, f"{len(span)} columns have {span.products} products, each of which takes time to compile")
    # A cut leaves at least one direction, so that there is no need to look for one below this number.
    least = _nested_columns(operators, lambda factor: min(factor.order, 2) + 1)
    if len(span) <= least:
        return Way(known, f"nesting carries {least} or more")
    # Once for each factor: Δ² has the same one twice.
    factors = {id(f): f for operator in operators for product in products_of(operator) for f in product}
    columns = {number: _columns_of_factor(call, factor, options) for number, factor in factors.items()}
    nested = _nested_columns(operators, lambda factor: columns[id(factor)])
    if nested < len(span):
        return Way(None, f"it carries {nested} columns through most of the function, and the algebra {len(span)}")
    return Way(known, f"nesting carries {nested}")


def _nested_columns(operators: Sequence[Any], columns: Callable[[Any], int]) -> int:
    """How many columns nesting carries: those of the factors of a product are multiplied, those of products added."""
    return sum(prod(map(columns, product)) for operator in operators for product in products_of(operator))


def _columns_of_factor(call: Call, factor: Any, options: Options) -> int:
    """The columns of an operator of order two, one or zero after the last cut: value, tangents, what is applied."""
    log: Log = []
    found: list[int] = []

    def propagate() -> tuple[()]:
        found.append(propagate_order_two(call, [factor], options, log=log).directions)
        return ()

    # Nothing is computed: shapes are all that cuts depend on.
    jax.eval_shape(propagate)
    cuts = [entry.after for entry in log if isinstance(entry, CutEntry)]
    return min(factor.order, 1) + 1 + (cuts[-1] if cuts else found[0])

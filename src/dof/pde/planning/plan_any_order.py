"""Plans for residuals that read a derivative of an order above two: one propagation of columns for all that is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from operator import matmul
from typing import Any

import dof
from dof.extend import (
    MOST_MONOMIALS,
    MOST_PRODUCTS,
    HigherOrder,
    Symbol,
    columns_text,
    combined_symbol,
    common_span,
    symbol_at,
    symbol_of,
)
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, Higher, Second
from dof.pde.planning.combined_coefficients import unit
from dof.pde.planning.merged_derivatives import Merge
from dof.pde.planning.plan import ChannelSum, Choice, Plan, Planned, make_plan


@dataclass(frozen=True)
class ColumnPlan(Plan):
    """A plan whose columns are those of the symbols of all that is read; `directions` counts those besides the value.

    Attributes:
        meanings: what each column is, up to a factor.
    """

    meanings: tuple[str, ...] = ()

    def __str__(self) -> str:
        merged = f" ({len(self.merged)} derivatives merged)" if len(self.merged) > 1 else ""
        return f"{columns_text(self.meanings)}{merged}: the cost of {self.columns} forward passes"


def plan_columns(
    point: Any,
    reads: Sequence[Derivative],
    merges: Sequence[Merge],
    earlier: Choice | None,
    names: Sequence[str],
) -> Planned:
    """The plan with the fewest columns, with one of the merges or none; arguments as those of `make_plan`.

    `names` are those of the coordinates, for the meanings of columns. Where the columns are too many, as for Δ² in many
    coordinates, derivatives of an order above two are operators of their own, and the others are planned without them.
    """
    if _has_too_many_terms(reads):
        return _nested(point, reads)
    # A coefficient that is known at run time only is multiplied with what is read, so that merging saves no column.
    numbers = [n for n, merge in enumerate(merges) if merge.is_known]
    choices = [Choice(n, True, False) for n in (*numbers, None)]
    considered = [choice for choice in choices if choice == earlier] or choices
    each: dict[Derivative, Symbol] = {read: _symbol(read, point) for read in reads if not isinstance(read, Gradient)}
    planned = (_planned(reads, each, merges, choice, names) for choice in considered)
    found = min(planned, key=lambda p: p.plan.columns)
    return _nested(point, reads) if common_span(found.prepared).products > MOST_PRODUCTS else found


def is_higher(read: Derivative) -> bool:
    """Whether a derivative is of an order above two."""
    return isinstance(read, Higher) or (isinstance(read, Applied) and isinstance(read.operator, HigherOrder))


def operator_of(read: Any, size: int) -> Any:
    """A derivative of an order above two as an operator on functions of so many coordinates."""
    if isinstance(read, Applied):
        return read.operator
    factors = [dof.Operator(b=unit(i, size)) for i in read.monomial]
    laplacian = dof.Operator(a=sum(unit(i, size) for i in read.places))
    return reduce(matmul, [*factors, *[laplacian] * read.laplacians])


def _has_too_many_terms(reads: Sequence[Derivative]) -> bool:
    return any(isinstance(r, Higher) and len(r.places) ** r.laplacians > MOST_MONOMIALS for r in reads)


def _nested(point: Any, reads: Sequence[Derivative]) -> Planned:
    higher = tuple(filter(is_higher, reads))
    planned = make_plan(point, [read for read in reads if read not in higher], [])
    return planned._replace(plan=replace(planned.plan, reads=tuple(reads), nested=higher))


def _symbol(read: Any, point: Any) -> Symbol:
    if isinstance(read, First):
        return symbol_of([(read.i,)])
    if isinstance(read, Second):
        return symbol_of(read.pairs)
    return symbol_of(_monomials(read)) if isinstance(read, Higher) else symbol_at(read.operator, point)


def _monomials(read: Higher) -> list[tuple[int, ...]]:
    """∂^e Δ^k multiplied out."""
    squares = product(read.places, repeat=read.laplacians)
    return [tuple(sorted((*read.monomial, *chosen, *chosen))) for chosen in squares]


def _planned(
    reads: Sequence[Derivative],
    each: dict[Derivative, Symbol],
    merges: Sequence[Merge],
    choice: Choice,
    names: Sequence[str],
) -> Planned:
    merge = None if choice.merge is None else merges[choice.merge]
    merged, where, rows = (merge.reads, merge.where, merge.rows) if merge else ((), (), ())
    symbols = [combined_symbol([(c, each[read]) for c, read in zip(row, merged, strict=True)]) for row in rows]
    sums: dict[Derivative, ChannelSum] = {}
    for read in (read for read in each if read not in merged):
        sums[read] = ((1.0, len(symbols)),)
        symbols.append(each[read])
    # Gradients are read off the last channels, one for each coordinate, as `along` says.
    places = dict.fromkeys(i for read in reads if isinstance(read, Gradient) for i in read.places)
    along = {i: (k, 1.0) for k, i in enumerate(places)}
    symbols += [symbol_of([(i,)]) for i in places]
    meanings = common_span(symbols).meanings(names)
    plan = ColumnPlan(tuple(reads), len(meanings) - 1, 0, along, sums, merged, where, meanings=meanings)
    return Planned(plan, symbols, choice)

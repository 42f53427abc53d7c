"""Operators of any order by nesting: each factor of a product is applied to the function that the next one gives.

It is exact as well, and takes more columns. Where the algebra has many products of columns, it compiles faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import jax

from dof.operators.higher_order import products_of
from dof.symbols.span import Span
from dof.triples.triple import DependsOnX
from dof.typing import Array

MOST_PAIRS = 200
"""Products of columns up to which the algebra is taken. The gradient of the biharmonic operator of an MLP with 3 hidden
layers of 64 has 0.66, 0.72, 0.82 and 0.98 of the operations of nesting (as XLA counts them) for 3, 5, 8 and 12
coordinates, which are 33, 90, 228 and 510 products. So little is left to gain above 200, and each product is some
equations more to compile: for 8 and 12 coordinates compiling took several times as long as with nesting, in one run
on a busy machine, so that the exact place of this limit is not measured."""

MOST_MONOMIALS = 20_000
"""Monomials of an operator up to which it is written out to look for its span. Δ² of 100 coordinates counts 10,000, and
its span has 5,252 columns, far more than the algebra is taken for. A round number; its place is not measured."""


def is_better_nested(span: Span) -> bool:
    """Whether nesting is to be preferred to the algebra of this span."""
    return sum(map(len, span.pairs)) > MOST_PAIRS


@dataclass(frozen=True)
class NestedResult(DependsOnX):
    """A value with the results of operators that were applied to it.

    Attributes:
        value: v.
        results: L v for each operator.
    """

    value: Any
    results: tuple[Any, ...]


class NestedReading(NamedTuple):
    """How an operator is read off what was applied by nesting: by its number."""

    number: int

    def of(self, output: NestedResult) -> Array:
        """L f."""
        return output.results[self.number]


def apply_nested(
    apply: Callable[[Any, Callable[..., Any]], Callable[..., Any]], operator: Any, f: Callable[..., Any]
) -> Callable[..., Any]:
    """L f for an operator of any order.

    Args:
        apply: (operator of order two, g) ↦ the function that it makes of g.
        operator: the operator.
        f: the function.
    """
    each = [reduce(lambda g, factor: apply(factor, g), reversed(product), f) for product in products_of(operator)]

    def applied(*args: Any, **kwargs: Any) -> Any:
        parts = [function(*args, **kwargs) for function in each]
        return jax.tree.map(lambda *leaves: sum(leaves[1:], leaves[0]), *parts)

    return applied


def outputs_of(value: Any, results: Sequence[Any]) -> list[NestedResult]:
    """The leaves of f(x), each with those of the results of operators."""
    leaves = [jax.tree.leaves(tree) for tree in (value, *results)]
    return [NestedResult(first, tuple(others)) for first, *others in zip(*leaves, strict=True)]

"""Operators of any order by nesting: each factor of a product is applied to the function that the next one gives.

It is exact as well. It carries more columns than the algebra unless its pieces pass a cut, and compiles faster where
the algebra has many products of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import jax

from dof.operators.higher_order import products_of
from dof.triples.triple import DependsOnX
from dof.typing import Array


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

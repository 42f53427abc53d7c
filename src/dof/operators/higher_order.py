"""Operators of any order as data: sums of products of operators of order two, one or zero, of either framework."""

from __future__ import annotations

from typing import Any

from dof.operators.algebra import OperatorAlgebra
from dof.operators.text import Summand, as_factors

Product = tuple[Any, ...]
"""Operators of order two, one or zero, each applied to what those on its right give."""


class HigherOrder(OperatorAlgebra):
    """Σ L₁ L₂ … over products of operators.

    Applying one to a function is `dof.api.apply`; what users get is `dof.api.operator.HigherOrderOperator`.
    """

    def __init__(self, products: tuple[Product, ...]) -> None:
        self.products = products

    def tree_flatten(self) -> Any:
        """Children for JAX: the operators."""
        return (self.products,), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> HigherOrder:
        """The inverse of `tree_flatten`."""
        return cls(*children)

    @property
    def order(self) -> int:
        """The order of the operator, as its terms have it."""
        return max((sum(factor.order for factor in product) for product in self.products), default=0)

    def summands(self) -> list[Summand]:
        """What the operator is a sum of, for its text."""
        return [tuple(f for factor in product for f in as_factors(factor.summands())) for product in self.products]

    def plus(self, other: Any) -> Any:
        """L + M for an operator M of any order."""
        return type(self)(self.products + products_of(other)) if _is_operator(other) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return type(self)(products_of(other) + self.products) if _is_operator(other) else super().__radd__(other)

    def scaled(self, scale: Any) -> HigherOrder:
        """scale · L for a number or a function of x."""
        return type(self)(tuple((first.scaled(scale), *others) for first, *others in self.products))

    def require_scale(self, scale: Any) -> None:
        """Refuse a number that is not finite."""
        self.products[0][0].require_scale(scale)

    def multiplication(self, factor: Any) -> Any:
        """The operator φ ↦ factor · φ for a number or a function of x."""
        return type(self.products[0][0])(c=factor)

    def composed_with(self, other: OperatorAlgebra) -> Any:
        """φ ↦ L (M φ) for an operator M of any order."""
        return self._composed(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._composed(other, self) if _is_operator(other) else super().__rmatmul__(other)

    def _composed(self, one: Any, other: Any) -> HigherOrder:
        return type(self)(tuple(p + q for p in products_of(one) for q in products_of(other)))


def products_of(operator: Any) -> tuple[Product, ...]:
    """An operator of any order as a sum of products."""
    return operator.products if isinstance(operator, HigherOrder) else ((operator,),)


def _is_operator(value: Any) -> bool:
    return isinstance(value, OperatorAlgebra)

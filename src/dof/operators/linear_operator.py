"""L φ = Σ a_ij ∂²_ij φ + Σ b_i ∂_i φ + c φ as data: its terms, their sums and multiples, and their values at x."""

from __future__ import annotations

from collections import Counter
from functools import reduce
from operator import or_
from typing import Any, Self

from dof.directions.matrix_forms import map_entries
from dof.operators.algebra import OperatorAlgebra
from dof.operators.coefficient_checks import require_finite
from dof.operators.coefficients import Coefficients, read_a, read_b, read_c
from dof.operators.composition import ComposedCoefficient, composed_terms
from dof.operators.coordinates import Coordinates
from dof.operators.terms import Term, at, scale_at, times, total
from dof.operators.text import Summand, as_factors, scales_text, summand_of

Terms = tuple[Term, ...]


class LinearOperator(OperatorAlgebra):
    """A linear operator of order two, one or zero, and the algebra of such operators.

    Applying one to a function is `dof.api.apply`; the public class is `dof.Operator`.
    """

    def __init__(self, a: Any = None, b: Any = None, c: Any = None) -> None:
        for name, coefficient in (("a", a), ("b", b), ("c", c)):
            require_finite(name, coefficient)
        self.a, self.b, self.c = (() if value is None else (Term(value),) for value in (a, b, c))

    @classmethod
    def of_terms(cls, a: Terms, b: Terms, c: Terms) -> Self:
        """The operator whose coefficients are sums of terms."""
        # Past `__init__`, which checks: JAX also unflattens operators with placeholders in place of arrays.
        new = object.__new__(cls)
        new.a, new.b, new.c = a, b, c
        return new

    def tree_flatten(self) -> Any:
        """Children for JAX: the terms."""
        return (self.a, self.b, self.c), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Self:
        """The inverse of `tree_flatten`; children are not checked, because JAX may pass placeholders."""
        return cls.of_terms(*children)

    def at(self, x: Any, coordinates: Coordinates) -> Coefficients:
        """The coefficients at x."""
        a = [_scaled_matrix(t, x, coordinates) for t in self.a]
        b = [times(scale_at(t, x), read_b(at(t.value, x), coordinates)) for t in self.b]
        c = [times(scale_at(t, x), read_c(at(t.value, x))) for t in self.c]
        found = Coefficients(tuple(a), total(b), total(c))
        # Finite factors can overflow when they are multiplied.
        for name, coefficient in zip("abc", found, strict=True):
            require_finite(name, coefficient)
        return found

    def summands(self) -> list[Summand]:
        """What the operator is a sum of, for its text."""
        # A composition has a term in each of a, b and c, with the same text: it is counted where there are most.
        parts = (("a", self.a), ("b", self.b), ("c", self.c))
        each = [Counter(_summand(name, term) for term in terms) for name, terms in parts]
        return list(reduce(or_, each).elements())

    def plus(self, other: Any) -> Any:
        """L + M for an operator M of order two, one or zero."""
        if not isinstance(other, LinearOperator):
            return NotImplemented
        return self.of_terms(self.a + other.a, self.b + other.b, self.c + other.c)

    @property
    def order(self) -> int:
        """Two, one or zero, as its terms have it."""
        return 2 if self.a else 1 if self.b else 0

    def scaled(self, scale: Any) -> Self:
        """scale · L for a number or a function of x."""
        return self.of_terms(*(tuple(t.scaled(scale) for t in terms) for terms in (self.a, self.b, self.c)))

    def require_scale(self, scale: Any) -> None:
        """Refuse a number that is not finite."""
        require_finite("scale", scale)

    def multiplication(self, factor: Any) -> Self:
        """The operator φ ↦ factor · φ for a number or a function of x."""
        return type(self)(c=factor)

    def product_with(self, other: LinearOperator) -> Any:
        """The operator φ ↦ L₁(L₂ φ) of an order above two; what represents it is above this module."""
        return NotImplemented

    def composed_with(self, other: OperatorAlgebra) -> Any:
        """The operator φ ↦ L₁(L₂ φ)."""
        if not isinstance(other, LinearOperator):
            return NotImplemented
        if self.a or other.a:
            return self.product_with(other)
        return self.of_terms(*composed_terms(self, other))


def _scaled_matrix(term: Term, x: Any, coordinates: Coordinates) -> Any:
    scale = scale_at(term, x)
    return map_entries(lambda entries: times(scale, entries), read_a(at(term.value, x), coordinates))


def _summand(name: str, term: Term) -> Summand:
    if not isinstance(term.value, ComposedCoefficient):
        return summand_of(name, term.value, term.scales)
    pair = (term.value.first, term.value.second)
    return (*scales_text(term.scales), *(f for operator in pair for f in as_factors(operator.summands())))

"""L φ = Σ a_ij ∂²_ij φ + Σ b_i ∂_i φ + c φ as data: its terms, their sums and multiples, and their values at x."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from dof.directions.matrix_forms import map_entries
from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.operators.coefficients import Coefficients, read_a, read_b, read_c
from dof.operators.composition import composed_terms
from dof.operators.coordinates import Coordinates
from dof.operators.terms import Term, at, scale_at, times, total
from dof.operators.user_matrices import require_finite

Terms = tuple[Term, ...]


class LinearOperator:
    """A linear operator of order two, one or zero, and the algebra of such operators.

    Applying one to a function is `dof.api.apply`; the public class is `dof.Operator`.
    """

    __array_ufunc__ = None  # so that a NumPy array on the left asks `__rmul__`

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

    def __repr__(self) -> str:
        counts = [(len(terms), name) for name, terms in (("a", self.a), ("b", self.b), ("c", self.c)) if terms]
        return f"<dof.Operator: {', '.join(f'{count} term(s) of {name}' for count, name in counts) or 'zero'}>"

    def __add__(self, other: Any) -> Self:
        if not isinstance(other, LinearOperator):
            return NotImplemented
        return self.of_terms(self.a + other.a, self.b + other.b, self.c + other.c)

    def __radd__(self, other: Any) -> Any:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # so that `sum` works

    def __rmul__(self, scale: Any) -> Self:
        if not callable(scale) and np.shape(scale) != ():
            found, fix = f"has shape {np.shape(scale)}", "(lambda x: jnp.sum(x**2)) * L"
            raise ArgumentError(describe("scale", found, "a scalar or a function of x that returns one", fix))
        require_finite("scale", scale)
        return self.of_terms(*(tuple(t.scaled(scale) for t in terms) for terms in (self.a, self.b, self.c)))

    def __mul__(self, scale: Any) -> Self:
        expected = "a number on the right of an operator"
        if isinstance(scale, LinearOperator):
            fix = "L1 @ L2 for φ ↦ L₁(L₂ φ) of first-order operators"
            raise ArgumentTypeError(describe("scale", "is an operator", expected, fix))
        if callable(scale):
            raise ArgumentTypeError(describe("scale", "is a function", expected, "g * L for g(x) · (L φ)(x)"))
        return self.__rmul__(scale)

    def __truediv__(self, divisor: Any) -> Self:
        return self.__rmul__(1 / divisor)

    def __neg__(self) -> Self:
        return self.__rmul__(-1)

    def __sub__(self, other: Any) -> Any:
        return self + (-other) if isinstance(other, LinearOperator) else NotImplemented

    def __matmul__(self, other: Any) -> Any:
        """The operator φ ↦ L₁(L₂ φ) of two operators of first order."""
        return self.of_terms(*composed_terms(self, other)) if isinstance(other, LinearOperator) else NotImplemented


def _scaled_matrix(term: Term, x: Any, coordinates: Coordinates) -> Any:
    scale = scale_at(term, x)
    return map_entries(lambda entries: times(scale, entries), read_a(at(term.value, x), coordinates))

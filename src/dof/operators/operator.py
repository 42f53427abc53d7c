"""What the user says: L φ = Σ a_ij ∂²_ij φ + Σ b_i ∂_i φ + c φ, and the algebra of such operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from dof.api.apply import Applicable
from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.operators.coefficients import Evaluated, known, map_linear, read_a, read_b, read_c
from dof.operators.composition import composed_terms
from dof.operators.coordinates import Space
from dof.operators.matrices import require_finite
from dof.operators.terms import Term, at, scale_at, total


@jax.tree_util.register_pytree_node_class
class Operator(Applicable):
    """A linear differential operator of order two, one or zero.

        (L φ)(x) = Σ_ij a_ij(x) ∂²φ/∂x_i∂x_j + Σ_i b_i(x) ∂φ/∂x_i + c(x) φ(x)

    Each coefficient is absent, a constant, or a function of x. With N coordinates in x (an array of any shape, or a
    pytree, in the order of its leaves):

    a: a scalar; (N,) or the shape of x for a diagonal; (N, N), of which the symmetric part counts;
       `dof.BlockDiagonal(blocks)`; or `dof.Factored(L, signs)` for Lᵀ diag(signs) L. Of any sign and any rank.
    b: (N,) or the shape of x.
    c: a scalar.

    Constants are best given as NumPy arrays, or made outside of jit: A is then factored once, and its rank is used.
    Derivatives are with respect to the first argument of f, or to `argnums`, as in `jax.grad`; several make x a tuple.

    Operators add, subtract, and are multiplied from the left by numbers and functions of x; operators of first order
    compose with `@`. They are pytrees: their arrays can be traced, differentiated and scanned over.

    >>> import dof, jax.numpy as jnp
    >>> L = dof.Operator(a=jnp.array([[1.0, 0.5], [0.5, 2.0]]), b=lambda x: -x, c=3.0)
    >>> print(f"{L(lambda x: x[0] * x[1] ** 2)(jnp.array([1.0, 2.0])):.4f}")
    8.0000
    """

    __array_ufunc__ = None  # so that a NumPy array on the left asks `__rmul__`

    def __init__(self, a: Any = None, b: Any = None, c: Any = None) -> None:
        for name, coefficient in (("a", a), ("b", b), ("c", c)):
            require_finite(name, coefficient)
        self.a, self.b, self.c = (() if value is None else (Term(value),) for value in (a, b, c))

    @classmethod
    def of_terms(cls, a: tuple[Term, ...], b: tuple[Term, ...], c: tuple[Term, ...]) -> Operator:
        """Of coefficients that are sums of terms."""
        new = object.__new__(cls)
        new.a, new.b, new.c = a, b, c
        return new

    def tree_flatten(self) -> Any:
        """For JAX: the terms."""
        return (self.a, self.b, self.c), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Operator:
        """For JAX: of terms that are not looked at."""
        return cls.of_terms(*children)

    def at(self, x: Any, space: Space) -> Evaluated:
        """The coefficients at x."""
        a = [map_linear(_times(scale_at(t, x)), read_a(at(t.value, x), space)) for t in self.a]
        b = [_times(scale_at(t, x))(read_b(at(t.value, x), space)) for t in self.b]
        c = [_times(scale_at(t, x))(read_c(at(t.value, x))) for t in self.c]
        evaluated = Evaluated(tuple(a), total(b), total(c))
        for name, coefficient in zip("abc", evaluated, strict=True):
            require_finite(name, coefficient)
        return evaluated

    def __repr__(self) -> str:
        counts = [(len(terms), name) for name, terms in (("a", self.a), ("b", self.b), ("c", self.c)) if terms]
        return f"<dof.Operator: {', '.join(f'{count} term(s) of {name}' for count, name in counts) or 'zero'}>"

    def __add__(self, other: Any) -> Operator:
        if not isinstance(other, Operator):
            return NotImplemented
        return Operator.of_terms(self.a + other.a, self.b + other.b, self.c + other.c)

    def __rmul__(self, scale: Any) -> Operator:
        if not callable(scale) and np.shape(scale) != ():
            found, fix = f"has shape {np.shape(scale)}", "(lambda x: jnp.sum(x**2)) * L"
            raise ArgumentError(describe("scale", found, "a scalar or a function of x that returns one", fix))
        require_finite("scale", scale)
        return Operator.of_terms(*(tuple(t.scaled(scale) for t in terms) for terms in (self.a, self.b, self.c)))

    def __radd__(self, other: Any) -> Operator:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # so that `sum` works

    def __mul__(self, scale: Any) -> Operator:
        if isinstance(scale, Operator):
            expected, fix = "a number on the right of an operator", "L1 @ L2 for φ ↦ L₁(L₂ φ) of first-order operators"
            raise ArgumentTypeError(describe("scale", "is an operator", expected, fix))
        if callable(scale):
            expected, fix = "a number on the right of an operator", "g * L for g(x) · (L φ)(x)"
            raise ArgumentTypeError(describe("scale", "is a function", expected, fix))
        return self.__rmul__(scale)

    def __truediv__(self, divisor: Any) -> Operator:
        return self.__rmul__(1 / divisor)

    def __neg__(self) -> Operator:
        return self.__rmul__(-1)

    def __sub__(self, other: Any) -> Operator:
        return self + (-other) if isinstance(other, Operator) else NotImplemented

    def __matmul__(self, other: Any) -> Operator:
        """The operator φ ↦ L₁(L₂ φ) of two operators of first order."""
        return Operator.of_terms(*composed_terms(self, other)) if isinstance(other, Operator) else NotImplemented


def _times(scale: Any) -> Callable[[Any], Any]:
    """Multiplication that keeps what is known known."""
    return lambda value: known(value * scale)


laplacian = Operator(a=1.0)
"""Δ = Σ_i ∂²/∂x_i²: `dof.laplacian(f)(x)`."""

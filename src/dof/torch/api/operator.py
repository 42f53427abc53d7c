"""`dof.torch.Operator`: a linear differential operator that can be applied to networks and functions of PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.operators.algebra import OperatorAlgebra
from dof.operators.higher_order import HigherOrder
from dof.operators.text import Summand, summand_of
from dof.torch.api.apply import Applicable
from dof.torch.terms import Term, order_of
from dof.torch.user_matrices import BlockDiagonal, Factored, as_coefficient


class Operator(Applicable, OperatorAlgebra):
    """A linear differential operator of order two, one or zero.

        (L φ)(x) = Σ_ij a_ij(x) ∂²φ/∂x_i∂x_j + Σ_i b_i(x) ∂φ/∂x_i + c(x) φ(x)

    x is (…, N): points in rows, N coordinates on the last axis. Each coefficient is absent, constant numbers (copied: A
    is factored once), a tensor that requires gradients, or a function of x, which gets all points and returns one
    coefficient for each, with the axes of points in front: c=lambda x: x.sum(-1), not x.sum(), and
    x[..., 0], not x[0].

    Operators add, subtract, and are multiplied from the left by numbers and functions of x; a number or a function g
    that is added stands for φ ↦ g φ; `@` composes them and `**` repeats them, to operators of any order
    (`dof.torch.derivatives`).

    Args:
        a: a scalar; (N,) for a diagonal; (N, N), of which the symmetric part counts; `BlockDiagonal(blocks)`; or
            `Factored(L, signs)` for Lᵀ diag(signs) L. Of any sign and any rank.
        b: (N,).
        c: a scalar.

    Examples:
        >>> import torch, dof.torch as dof
        >>> L = dof.Operator(a=torch.tensor([[1.0, 0.5], [0.5, 2.0]]), b=lambda x: -x, c=3.0)
        >>> L(lambda x: x[..., 0] * x[..., 1] ** 2)(torch.tensor([[1.0, 2.0]], dtype=torch.float64))
        tensor([8.0000], dtype=torch.float64)
    """

    def __init__(self, a: Any = None, b: Any = None, c: Any = None) -> None:
        given = (("a", a), ("b", b), ("c", c))
        self.terms = tuple(Term(name, _checked(name, value)) for name, value in given if value is not None)

    @classmethod
    def of_terms(cls, terms: tuple[Term, ...]) -> Operator:
        """The operator with these terms."""
        new = cls()
        new.terms = terms
        return new

    def summands(self) -> list[Summand]:
        """What the operator is a sum of, for its text."""
        return [summand_of(term.order, term.coefficient, term.scales) for term in self.terms]

    def plus(self, other: Any) -> Any:
        """L + M."""
        return self.of_terms(self.terms + other.terms) if isinstance(other, Operator) else NotImplemented

    def scaled(self, scale: Any) -> Operator:
        """scale · L for a number or a function of x."""
        return self.of_terms(tuple(Term(t.order, t.coefficient, (*t.scales, scale)) for t in self.terms))

    def require_scale(self, scale: Any) -> None:
        """Refuse what is neither a finite number nor a function."""
        if not callable(scale):
            as_coefficient("scale", scale)

    def multiplication(self, factor: Any) -> Operator:
        """The operator φ ↦ factor · φ for a number or a function of x."""
        return Operator(c=factor)

    @property
    def order(self) -> int:
        """The order of the operator, as its terms have it."""
        return order_of(self.terms)

    def composed_with(self, other: OperatorAlgebra) -> Any:
        """The operator φ ↦ L₁(L₂ φ)."""
        return HigherOrderOperator(((self, other),)) if isinstance(other, Operator) else NotImplemented


class HigherOrderOperator(Applicable, HigherOrder):
    """A linear differential operator of any order, as a sum of products of operators of order two, one or zero.

    It comes from `@`, `**` and sums of operators, and is used as they are. Operators with constant coefficients are
    applied by one propagation, and so are multiples of them by functions of x. Others, and functions with operations
    that have a rule of order two only, are applied one factor after another; `dof.torch.explain` says which.
    """


def _checked(name: str, value: Any) -> Any:
    """A coefficient as it is kept: functions and learned tensors as they are, numbers as an array of our own."""
    if callable(value) or (name == "a" and isinstance(value, (Factored, BlockDiagonal))):
        return value
    array = as_coefficient(name, value)
    most = {"a": 2, "b": 1, "c": 0}[name]
    if array.ndim > most or (most == 2 and array.ndim == 2 and array.shape[0] != array.shape[1]):
        shapes = {"a": "(), (N,), (N, N), BlockDiagonal or Factored", "b": "(N,)", "c": "a scalar"}
        fix = f"{name}=lambda x: …, a function of x, for one coefficient for each point"
        raise ArgumentError(describe(name, f"has shape {tuple(array.shape)}", shapes[name], fix))
    return array


laplacian = Operator(a=1.0)
"""Δ = Σ_i ∂²/∂x_i²: `dof.torch.laplacian(net)(x)`."""


def derivatives(n: int) -> tuple[Operator, ...]:
    """The n partial derivatives of functions of n coordinates, as operators of order one.

    With `+`, `-`, numbers, functions of x, `@` and `**` they make operators of any order.

    Args:
        n: how many coordinates x has.

    Examples:
        >>> import torch, dof.torch as dof
        >>> dx, dt = dof.derivatives(2)
        >>> L = dt + dx**3
        >>> L(lambda z: z[..., 1] * z[..., 0] ** 4)(torch.tensor([2.0, 3.0]))
        tensor(160.)
        >>> (dof.laplacian**2)(lambda x: (x**4).sum(-1))(torch.ones(2))
        tensor(48.)
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        fix = "dx, dy = dof.derivatives(2)"
        raise ArgumentError(describe("n", f"is {shown(n)}", "a positive integer, the number of coordinates of x", fix))
    return tuple(Operator(b=row) for row in np.eye(n))

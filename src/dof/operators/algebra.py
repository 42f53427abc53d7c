"""What operators of every order have in common: sums with numbers and functions, quotients, powers, their text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.operators.text import Summand, operator_text


class OperatorAlgebra(ABC):
    """A linear differential operator as an element of an algebra: +, −, multiples, @ for compositions, **."""

    __array_ufunc__ = None  # so that a NumPy array on the left asks `__rmul__`

    @property
    @abstractmethod
    def order(self) -> int:
        """The order of the operator, as its terms have it."""

    @abstractmethod
    def plus(self, other: Any) -> Any:
        """L + M; NotImplemented if this class does not know what M is."""

    @abstractmethod
    def scaled(self, scale: Any) -> Any:
        """scale · L for a number or a function of x."""

    @abstractmethod
    def require_scale(self, scale: Any) -> None:
        """Refuse a number that is not finite."""

    @abstractmethod
    def multiplication(self, factor: Any) -> Any:
        """The operator φ ↦ factor · φ for a number or a function of x."""

    @abstractmethod
    def composed_with(self, other: OperatorAlgebra) -> Any:
        """φ ↦ L (M φ); NotImplemented if this class does not know what M is."""

    @abstractmethod
    def summands(self) -> list[Summand]:
        """What the operator is a sum of, for its text."""

    def __repr__(self) -> str:
        return f"<dof operator of order {self.order}: {operator_text(self.summands())}>"

    def __matmul__(self, other: Any) -> Any:
        """The operator φ ↦ L (M φ)."""
        if isinstance(other, OperatorAlgebra):
            return self.composed_with(other)
        if hasattr(type(other), "__rmatmul__") and not hasattr(other, "shape"):
            return NotImplemented  # a class of its own may know; arrays would multiply element by element
        fix = "dx @ (k * dx) with parentheses, since dx @ k * dx is (dx @ k) * dx; k * L for k(x) · (L φ)(x)"
        raise ArgumentTypeError(describe("L @ k", f"has {shown(other)} on the right of @", "an operator there", fix))

    def __rmatmul__(self, other: Any) -> Any:
        if isinstance(other, OperatorAlgebra):
            return NotImplemented
        fix = "k * L for k(x) · (L φ)(x)"
        raise ArgumentTypeError(describe("k @ L", f"has {shown(other)} on the left of @", "an operator there", fix))

    def __add__(self, other: Any) -> Any:
        """L + M; a number or a function g of x stands for the operator φ ↦ g φ."""
        return self.plus(self.multiplication(other) if _is_factor(other) else other)

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, int) and other == 0:
            return self  # so that `sum` works
        return self + other if _is_factor(other) else NotImplemented

    def __rmul__(self, scale: Any) -> Any:
        if not callable(scale) and np.shape(scale) != ():
            found, fix = f"has shape {np.shape(scale)}", "(lambda x: jnp.sum(x**2)) * L"
            raise ArgumentError(describe("scale", found, "a scalar or a function of x that returns one", fix))
        self.require_scale(scale)
        return self.scaled(scale)

    def __mul__(self, scale: Any) -> Any:
        expected = "a number on the right of an operator"
        if isinstance(scale, OperatorAlgebra):
            raise ArgumentTypeError(describe("scale", "is an operator", expected, "L1 @ L2 for φ ↦ L₁(L₂ φ)"))
        if callable(scale):
            raise ArgumentTypeError(describe("scale", "is a function", expected, "g * L for g(x) · (L φ)(x)"))
        return self.__rmul__(scale)

    def __truediv__(self, divisor: Any) -> Any:
        return self.__rmul__(1 / divisor)

    def __neg__(self) -> Any:
        return self.__rmul__(-1)

    def __sub__(self, other: Any) -> Any:
        if _is_factor(other):
            other = self.multiplication(other)
        return self + (-other) if isinstance(other, OperatorAlgebra) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other if _is_factor(other) else NotImplemented

    def __pow__(self, exponent: Any) -> Any:
        """The operator applied so many times."""
        if isinstance(exponent, bool) or not isinstance(exponent, int) or exponent < 0:
            expected, fix = "an integer that is not negative", "dof.laplacian**2"
            raise ArgumentError(describe("exponent", f"is {shown(exponent)}", expected, fix))
        power = self if exponent else self.multiplication(1.0)
        for _ in range(exponent - 1):
            power = power @ self
        return power


def _is_factor(value: Any) -> bool:
    """Whether it is a number, an array or tensor without axes, or a function of x."""
    is_number = isinstance(value, (int, float, complex)) or getattr(value, "shape", None) == ()
    # Operators, and classes that say themselves what an operator plus them is, are no functions to multiply with.
    return is_number or (callable(value) and not hasattr(type(value), "__radd__"))

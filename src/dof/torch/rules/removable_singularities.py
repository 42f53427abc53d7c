"""Functions whose derivatives PyTorch writes as quotients that are 0 / 0 at x = 0: power series around it.

PyTorch puts a constant there, of which all further derivatives are zero: Δ sinc(0) would be 0 instead of −π² / 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from dof.torch.operation_call import Call
from dof.torch.registry import register
from dof.torch.rules.elementwise import elementwise

TERMS = 12
"""Of the series, for arguments below one: the first that is left out is below 1e-16, after four derivatives too."""


def _with_series(series: Callable[[Any], Any], scale: float = 1.0) -> Callable[[Call], Any]:
    """The rule of a function that is `series` where |scale · x| < 1; elsewhere its derivatives are those of PyTorch."""

    def rule(call: Call) -> Any:
        (x,) = call.triples
        is_small = (scale * x.value).abs() < 1
        # No derivatives at the small ones, of which the gradient would be NaN.
        outer = Call(call.func, (torch.where(is_small, torch.ones_like(x.value), x),), {})
        return torch.where(is_small, series(x), elementwise(outer))

    return rule


def _polynomial(s: Any, coefficients: list[float]) -> Any:
    """Σ c_n sⁿ, by Horner's scheme."""
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * s + coefficient
    return total


def _sinc(x: Any) -> Any:
    """sin(π x) / (π x) = Σ (−s)ⁿ / (2n + 1)! with s = (π x)²."""
    return _polynomial((math.pi * x) ** 2, [(-1) ** n / math.factorial(2 * n + 1) for n in range(TERMS)])


def _i0(x: Any) -> Any:
    """I₀ = Σ sⁿ / n!² with s = (x / 2)²."""
    return _polynomial((x / 2) ** 2, [1 / math.factorial(n) ** 2 for n in range(TERMS)])


def _i1(x: Any) -> Any:
    """I₁ = x / 2 Σ sⁿ / (n! (n + 1)!) with s = (x / 2)²."""
    factors = [1 / (math.factorial(n) * math.factorial(n + 1)) for n in range(TERMS)]
    return x / 2 * _polynomial((x / 2) ** 2, factors)


register("elementwise", "sinc.default", _with_series(_sinc, math.pi))
register("elementwise", "i0.default", _with_series(_i0))
register("elementwise", "special_i1.default", _with_series(_i1))

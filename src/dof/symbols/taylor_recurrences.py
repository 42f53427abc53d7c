"""Taylor coefficients f^(k)(x) / k!, k = 1 up to an order, of families of functions, by recurrences.

They are written in + and * alone, for arrays of any framework; functions of a framework make the first ones. None
stands for zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def riccati(y: Any, order: int, constant: float, linear: float, square: float) -> list[Any]:
    """The solutions of f' = constant + linear f + square f² with f = y, coefficient by coefficient."""
    t = [y]
    for k in range(order):
        rate = square * _convolution(t, k)
        rate = rate if not linear else linear * t[k] + rate
        t.append((rate + constant if constant and not k else rate) / (k + 1))
    return t[1:]


def _convolution(t: list[Any], k: int) -> Any:
    """Σ_j t_j t_{k−j}, each product of two different ones once."""
    total = t[k // 2] * t[k // 2] if k % 2 == 0 else None
    for j in range((k + 1) // 2):
        term = 2 * (t[j] * t[k - j])
        total = term if total is None else total + term
    return total


def exponential(y: Any, order: int, rate: float = 1.0) -> list[Any]:
    """f' = rate · f with f = y."""
    return [y * (rate**k / math.factorial(k)) for k in range(1, order + 1)]


def two_in_turn(first: Any, second: Any, order: int, sign: int) -> list[Any]:
    """f' = first, f'' = second, f''' = sign · first, f'''' = sign · second and so on."""
    signs = (1, 1, sign, sign)
    return [(second if k % 2 == 0 else first) * (signs[(k - 1) % 4] / math.factorial(k)) for k in range(1, order + 1)]


def logarithm(inverse: Any, order: int) -> list[Any]:
    """f = log x by 1 / x: −(−1/x)^k / k."""
    power, found = inverse, [inverse]
    for k in range(2, order + 1):
        power = -power * inverse
        found.append(power / k)
    return found


def bell_integral(x: Any, bell: Any, order: int, rate: float) -> list[Any]:
    """f' = g with g = bell at x and g' = −rate · x g: (k + 1) g_{k+1} = −rate (x g_k + g_{k−1})."""
    g = [bell]
    for k in range(order - 1):
        g.append((x * g[k] + g[k - 1] if k else x * g[k]) * (-rate / (k + 1)))
    return antiderivative(g)


def antiderivative(rates: Sequence[Any]) -> list[Any]:
    """The coefficients of f from those of f', beginning with f' itself."""
    return [rate / k for k, rate in enumerate(rates, 1)]


def times_argument(x: Any, t: Sequence[Any]) -> list[Any]:
    """The coefficients of x f from those of f, beginning with f itself."""
    return [x * t[k] + t[k - 1] for k in range(1, len(t))]


def power_by_quotients(x: Any, y: Any, order: int, exponent: float) -> list[Any]:
    """f = x^p with f = y: each coefficient is (p − k) / ((k + 1) x) times the one before."""
    t, inverse = [y], 1 / x
    for k in range(order):
        t.append(t[k] * inverse * ((exponent - k) / (k + 1)))
    return t[1:]


def power(x: Any, order: int, exponent: float) -> list[Any]:
    """f = x^p: p (p − 1) … (p − k + 1) / k! · x^(p − k), zero for a whole p < k."""
    found, binomial = [], 1.0
    for k in range(1, order + 1):
        binomial *= (exponent - k + 1) / k
        found.append(binomial * x ** (exponent - k) if binomial else None)
    return found

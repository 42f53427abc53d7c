"""Taylor coefficients f^(k)(x) / k! of elementwise functions, written by hand: k = 1 up to the order, by recurrences.

They use y = f(x), which is there already. Nested jvp would compute each derivative anew, in 2^k times the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jax import lax

Taylor = Callable[..., list[Any]]
"""(x, y, order, **params) ↦ [f'(x), f''(x) / 2!, …], where None stands for zero."""

BY_HAND: dict[str, Taylor] = {}
"""The functions of one operand, by the name of their primitive."""


def _by_hand(name: str) -> Callable[[Taylor], Taylor]:
    def decorate(function: Taylor) -> Taylor:
        BY_HAND[name] = function
        return function

    return decorate


def _riccati(y: Any, order: int, constant: float, linear: float, square: float) -> list[Any]:
    """The solutions of f' = constant + linear f + square f², coefficient by coefficient."""
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


@_by_hand("tanh")
def tanh(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = 1 − f²."""
    return _riccati(y, order, 1.0, 0.0, -1.0)


@_by_hand("tan")
def tan(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = 1 + f²."""
    return _riccati(y, order, 1.0, 0.0, 1.0)


@_by_hand("logistic")
def logistic(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f − f²."""
    return _riccati(y, order, 0.0, 1.0, -1.0)


@_by_hand("exp")
def exp(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f."""
    return [y / math.factorial(k) for k in range(1, order + 1)]


@_by_hand("exp2")
def exp2(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f log 2."""
    return [y * (math.log(2) ** k / math.factorial(k)) for k in range(1, order + 1)]


@_by_hand("expm1")
def expm1(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f + 1."""
    return exp(x, y + 1, order)


def _two_in_turn(first: Any, second: Any, order: int, sign: int) -> list[Any]:
    """The coefficients of a function with f' = first, f'' = second, f''' = sign · first and so on."""
    signs = (1, 1, sign, sign)
    return [(second if k % 2 == 0 else first) * (signs[(k - 1) % 4] / math.factorial(k)) for k in range(1, order + 1)]


@_by_hand("sin")
def sin(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = cos x, f'' = −f."""
    return _two_in_turn(jnp.cos(x), -y, order, -1)


@_by_hand("cos")
def cos(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = −sin x, f'' = −f."""
    return _two_in_turn(-jnp.sin(x), -y, order, -1)


@_by_hand("sinh")
def sinh(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = cosh x, f'' = f."""
    return _two_in_turn(jnp.cosh(x), y, order, 1)


@_by_hand("cosh")
def cosh(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = sinh x, f'' = f."""
    return _two_in_turn(jnp.sinh(x), y, order, 1)


@_by_hand("log")
def log(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f^(k) / k! = −(−1/x)^k / k."""
    return _logarithm(1 / x, order)


@_by_hand("log1p")
def log1p(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f^(k) / k! = −(−1/(1 + x))^k / k."""
    return _logarithm(1 / (1 + x), order)


def _logarithm(inverse: Any, order: int) -> list[Any]:
    power, found = inverse, [inverse]
    for k in range(2, order + 1):
        power = -power * inverse
        found.append(power / k)
    return found


@_by_hand("erf")
def erf(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = 2/√π exp(−x²)."""
    return _error_function(x, order, 2 / math.sqrt(math.pi))


@_by_hand("erfc")
def erfc(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = −2/√π exp(−x²)."""
    return _error_function(x, order, -2 / math.sqrt(math.pi))


def _error_function(x: Any, order: int, scale: float) -> list[Any]:
    """With g = scale · exp(−x²), g' = −2 x g: (k + 1) g_{k+1} = −2 (x g_k + g_{k−1})."""
    g = [scale * jnp.exp(-x * x)]
    for k in range(order - 1):
        g.append((x * g[k] + g[k - 1] if k else x * g[k]) * (-2 / (k + 1)))
    return [rate / k for k, rate in enumerate(g, 1)]


def _power_by_quotients(x: Any, y: Any, order: int, exponent: float) -> list[Any]:
    """f = x^p: each coefficient is (p − k) / ((k + 1) x) times the one before."""
    t, inverse = [y], 1 / x
    for k in range(order):
        t.append(t[k] * inverse * ((exponent - k) / (k + 1)))
    return t[1:]


@_by_hand("sqrt")
def sqrt(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f = x^½."""
    return _power_by_quotients(x, y, order, 0.5)


@_by_hand("rsqrt")
def rsqrt(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f = x^−½."""
    return _power_by_quotients(x, y, order, -0.5)


@_by_hand("cbrt")
def cbrt(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f = x^⅓."""
    return _power_by_quotients(x, y, order, 1 / 3)


@_by_hand("integer_pow")
def integer_pow(x: Any, _: Any, order: int, *, y: int, **__: Any) -> list[Any]:
    """f = x^p: f^(k) / k! = p (p − 1) … (p − k + 1) / k! · x^(p − k), zero for 0 ≤ p < k."""
    found, binomial = [], 1.0
    for k in range(1, order + 1):
        binomial *= (y - k + 1) / k
        found.append(binomial * lax.integer_pow(x, y - k) if binomial else None)
    return found


@_by_hand("square")
def square(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f = x²."""
    return integer_pow(x, y, order, y=2)


def power(x: Any, exponent: Any, order: int) -> list[Any]:
    """x^p for a p that does not depend on x, of any values."""
    found, binomial = [], jnp.ones_like(exponent * 1.0)
    for k in range(1, order + 1):
        binomial = binomial * (exponent - (k - 1)) / k
        # At x = 0 a power that the binomial cancels would be infinite, as of x² differentiated three times.
        lower = jnp.where(binomial == 0, 1, exponent - k)
        found.append(jnp.where(binomial == 0, 0, binomial * jnp.power(x, lower)))
    return found

"""Taylor coefficients f^(k)(x) / k! of elementwise functions, k = 1 up to the order, written by hand.

The recurrences (`symbols/taylor_recurrences.py`) use y = f(x), which is there already. Nested jvp would compute each
derivative anew, in 2^k times the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from dof.symbols import taylor_recurrences

Taylor = Callable[..., list[Any]]
"""(x, y, order, **params) ↦ [f'(x), f''(x) / 2!, …], where None stands for zero."""

BY_HAND: dict[str, Taylor] = {}
"""The functions of one operand, by the name of their primitive."""


def _by_hand(name: str) -> Callable[[Taylor], Taylor]:
    def decorate(function: Taylor) -> Taylor:
        BY_HAND[name] = function
        return function

    return decorate


@_by_hand("tanh")
def tanh(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = 1 − f²."""
    return taylor_recurrences.riccati(y, order, 1.0, 0.0, -1.0)


@_by_hand("tan")
def tan(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = 1 + f²."""
    return taylor_recurrences.riccati(y, order, 1.0, 0.0, 1.0)


@_by_hand("logistic")
def logistic(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f − f²."""
    return taylor_recurrences.riccati(y, order, 0.0, 1.0, -1.0)


@_by_hand("exp")
def exp(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f."""
    return taylor_recurrences.exponential(y, order)


@_by_hand("exp2")
def exp2(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f log 2."""
    return taylor_recurrences.exponential(y, order, math.log(2))


@_by_hand("expm1")
def expm1(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = f + 1."""
    return taylor_recurrences.exponential(y + 1, order)


@_by_hand("sin")
def sin(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = cos x, f'' = −f."""
    return taylor_recurrences.two_in_turn(jnp.cos(x), -y, order, -1)


@_by_hand("cos")
def cos(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = −sin x, f'' = −f."""
    return taylor_recurrences.two_in_turn(-jnp.sin(x), -y, order, -1)


@_by_hand("sinh")
def sinh(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = cosh x, f'' = f."""
    return taylor_recurrences.two_in_turn(jnp.cosh(x), y, order, 1)


@_by_hand("cosh")
def cosh(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = sinh x, f'' = f."""
    return taylor_recurrences.two_in_turn(jnp.sinh(x), y, order, 1)


@_by_hand("log")
def log(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f^(k) / k! = −(−1/x)^k / k."""
    return taylor_recurrences.logarithm(1 / x, order)


@_by_hand("log1p")
def log1p(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f^(k) / k! = −(−1/(1 + x))^k / k."""
    return taylor_recurrences.logarithm(1 / (1 + x), order)


@_by_hand("erf")
def erf(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = 2/√π exp(−x²)."""
    return taylor_recurrences.bell_integral(x, 2 / math.sqrt(math.pi) * jnp.exp(-x * x), order, 2.0)


@_by_hand("erfc")
def erfc(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f' = −2/√π exp(−x²)."""
    return taylor_recurrences.bell_integral(x, -2 / math.sqrt(math.pi) * jnp.exp(-x * x), order, 2.0)


@_by_hand("sqrt")
def sqrt(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f = x^½."""
    return taylor_recurrences.power_by_quotients(x, y, order, 0.5)


@_by_hand("rsqrt")
def rsqrt(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f = x^−½."""
    return taylor_recurrences.power_by_quotients(x, y, order, -0.5)


@_by_hand("cbrt")
def cbrt(x: Any, y: Any, order: int, **_: Any) -> list[Any]:
    """f = x^⅓."""
    return taylor_recurrences.power_by_quotients(x, y, order, 1 / 3)


@_by_hand("integer_pow")
def integer_pow(x: Any, _: Any, order: int, *, y: int, **__: Any) -> list[Any]:
    """f = x^p: f^(k) / k! = p (p − 1) … (p − k + 1) / k! · x^(p − k), zero for 0 ≤ p < k."""
    return taylor_recurrences.power(x, order, y)


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

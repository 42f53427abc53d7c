"""Elementwise derivatives written by hand: (x, y = f(x)) ↦ (f'(x), f''(x)).

They use y, which is there already: tanh with both derivatives is 5 equations, by nested jvp 18.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from dof.jaxpr.rules.elementwise import by_hand


@by_hand("tanh")
def tanh(x: Any, y: Any, **_: Any) -> Any:
    """f' = 1 − f²,   f'' = −2 f f'."""
    d1 = 1 - y * y
    return d1, -2 * y * d1


@by_hand("logistic")
def logistic(x: Any, y: Any, **_: Any) -> Any:
    """f' = f (1 − f),   f'' = f' (1 − 2 f)."""
    d1 = y * (1 - y)
    return d1, d1 * (1 - 2 * y)


@by_hand("exp")
def exp(x: Any, y: Any, **_: Any) -> Any:
    """f' = f'' = f."""
    return y, y


@by_hand("exp2")
def exp2(x: Any, y: Any, **_: Any) -> Any:
    """f' = f log 2,   f'' = f' log 2."""
    return math.log(2) * y, math.log(2) ** 2 * y


@by_hand("expm1")
def expm1(x: Any, y: Any, **_: Any) -> Any:
    """f' = f'' = exp x = f + 1."""
    d1 = y + 1
    return d1, d1


@by_hand("log")
def log(x: Any, y: Any, **_: Any) -> Any:
    """f' = 1/x,   f'' = −1/x²."""
    d1 = 1 / x
    return d1, -d1 * d1


@by_hand("log1p")
def log1p(x: Any, y: Any, **_: Any) -> Any:
    """f' = 1/(1 + x),   f'' = −1/(1 + x)²."""
    d1 = 1 / (1 + x)
    return d1, -d1 * d1


@by_hand("sin")
def sin(x: Any, y: Any, **_: Any) -> Any:
    """f' = cos x,   f'' = −f."""
    return jnp.cos(x), -y


@by_hand("cos")
def cos(x: Any, y: Any, **_: Any) -> Any:
    """f' = −sin x,   f'' = −f."""
    return -jnp.sin(x), -y


@by_hand("sqrt")
def sqrt(x: Any, y: Any, **_: Any) -> Any:
    """f' = 1/(2 f),   f'' = −f'/(2 x)."""
    d1 = 0.5 / y
    return d1, -0.5 * d1 / x


@by_hand("rsqrt")
def rsqrt(x: Any, y: Any, **_: Any) -> Any:
    """f' = −f/(2 x),   f'' = −3 f'/(2 x)."""
    d1 = -0.5 * y / x
    return d1, -1.5 * d1 / x


@by_hand("square")
def square(x: Any, y: Any, **_: Any) -> Any:
    """f' = 2 x,   f'' = 2."""
    return 2 * x, jnp.full_like(x, 2)


@by_hand("erf")
def erf(x: Any, y: Any, **_: Any) -> Any:
    """f' = 2/√π exp(−x²),   f'' = −2 x f'."""
    d1 = 2 / math.sqrt(math.pi) * lax.exp(-x * x)
    return d1, -2 * x * d1

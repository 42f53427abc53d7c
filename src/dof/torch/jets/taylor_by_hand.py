"""Taylor coefficients f^(k)(x) / k! of common elementwise operations of one operand, k = 1 up to the order.

The recurrences (`symbols/taylor_recurrences.py`) use y = f(x), which is there already.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.symbols import taylor_recurrences
from dof.torch.operation_call import Call
from dof.torch.registry import aten

Taylor = Callable[[Tensor, Tensor, int, Call], list[Any]]
"""(x, y, order, call) ↦ [f'(x), f''(x) / 2!, …], where None stands for zero."""


def _softplus(x: Tensor, y: Tensor, order: int, call: Call) -> list[Any]:
    """f' = sigmoid(β x), and f = x where PyTorch returns x itself."""
    beta, threshold = call.argument("beta", 1), call.argument("threshold", 20)
    z = torch.sigmoid(beta * x)
    rates = [z, *(t * beta**k for k, t in enumerate(taylor_recurrences.riccati(z, order - 1, 0.0, 1.0, -1.0), 1))]
    is_line = beta * x > threshold
    lines = [1.0] + [0.0] * (order - 1)
    return [
        torch.where(is_line, line, t) for line, t in zip(lines, taylor_recurrences.antiderivative(rates), strict=True)
    ]


def _silu(x: Tensor, y: Tensor, order: int, call: Call) -> list[Any]:
    """f = x sigmoid(x)."""
    z = torch.sigmoid(x)
    return taylor_recurrences.times_argument(x, [z, *taylor_recurrences.riccati(z, order, 0.0, 1.0, -1.0)])


def _gelu(x: Tensor, y: Tensor, order: int, call: Call) -> list[Any]:
    """f = x Φ(x) with Φ' = exp(−x²/2) / √2π; or x/2 (1 + tanh u), where the inner series is a polynomial in x."""
    if call.argument("approximate", "none") == "tanh":
        return _gelu_by_tanh(x, order)
    density = torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    cumulative = 0.5 * (1 + torch.erf(x / math.sqrt(2)))
    return taylor_recurrences.times_argument(x, [cumulative, *taylor_recurrences.bell_integral(x, density, order, 1.0)])


def _gelu_by_tanh(x: Tensor, order: int) -> list[Any]:
    """u = √(2/π) (x + 0.044715 x³); with t = tanh u, t' = (1 − t²) u', coefficient by coefficient."""
    scale, cubic = math.sqrt(2 / math.pi), 0.044715
    slope = [scale * (1 + 3 * cubic * x * x), scale * 6 * cubic * x, torch.full_like(x, scale * 3 * cubic)]
    t = [torch.tanh(scale * (x + cubic * x**3))]
    for k in range(order):
        square = [sum(t[i] * t[j - i] for i in range(j + 1)) for j in range(k + 1)]
        rate = [1 - square[0], *(-s for s in square[1:])]
        t.append(sum(rate[k - j] * slope[j] for j in range(min(k, 2) + 1)) / (k + 1))
    return taylor_recurrences.times_argument(x, [0.5 * (1 + t[0]), *(0.5 * entry for entry in t[1:])])


def _power(x: Tensor, y: Tensor, order: int, call: Call) -> list[Any]:
    return taylor_recurrences.power(x, order, call.args[1])


def _line(slope: Callable[[Tensor, Call], Tensor]) -> Taylor:
    """A function that is a line around almost every x."""
    return lambda x, y, order, call: [slope(x, call), *[None] * (order - 1)]


BY_HAND: dict[Any, Taylor] = {
    aten.tanh.default: lambda x, y, order, call: taylor_recurrences.riccati(y, order, 1.0, 0.0, -1.0),
    aten.tan.default: lambda x, y, order, call: taylor_recurrences.riccati(y, order, 1.0, 0.0, 1.0),
    aten.sigmoid.default: lambda x, y, order, call: taylor_recurrences.riccati(y, order, 0.0, 1.0, -1.0),
    aten.softplus.default: _softplus,
    aten.silu.default: _silu,
    aten.gelu.default: _gelu,
    aten.exp.default: lambda x, y, order, call: taylor_recurrences.exponential(y, order),
    aten.exp2.default: lambda x, y, order, call: taylor_recurrences.exponential(y, order, math.log(2)),
    aten.expm1.default: lambda x, y, order, call: taylor_recurrences.exponential(y + 1, order),
    aten.sin.default: lambda x, y, order, call: taylor_recurrences.two_in_turn(x.cos(), -y, order, -1),
    aten.cos.default: lambda x, y, order, call: taylor_recurrences.two_in_turn(-x.sin(), -y, order, -1),
    aten.sinh.default: lambda x, y, order, call: taylor_recurrences.two_in_turn(x.cosh(), y, order, 1),
    aten.cosh.default: lambda x, y, order, call: taylor_recurrences.two_in_turn(x.sinh(), y, order, 1),
    aten.log.default: lambda x, y, order, call: taylor_recurrences.logarithm(1 / x, order),
    aten.log1p.default: lambda x, y, order, call: taylor_recurrences.logarithm(1 / (1 + x), order),
    aten.erf.default: lambda x, y, order, call: taylor_recurrences.bell_integral(
        x, 2 / math.sqrt(math.pi) * torch.exp(-x * x), order, 2.0
    ),
    aten.sqrt.default: lambda x, y, order, call: taylor_recurrences.power_by_quotients(x, y, order, 0.5),
    aten.rsqrt.default: lambda x, y, order, call: taylor_recurrences.power_by_quotients(x, y, order, -0.5),
    aten.reciprocal.default: lambda x, y, order, call: taylor_recurrences.power_by_quotients(x, y, order, -1.0),
    aten.square.default: lambda x, y, order, call: taylor_recurrences.power(x, order, 2),
    aten.pow.Tensor_Scalar: _power,
    aten.relu.default: _line(lambda x, call: (x > 0).to(x.dtype)),
    aten.leaky_relu.default: _line(
        lambda x, call: torch.where(x > 0, torch.ones_like(x), call.argument("negative_slope", 0.01))
    ),
}
"""Operations that are not here take nested jvps."""

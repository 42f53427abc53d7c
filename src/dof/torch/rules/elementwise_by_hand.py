"""First and second derivatives of common elementwise functions of one argument: (x, f(x), call) ↦ (f', f'')."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call
from dof.torch.registry import aten

Pair = tuple[Any, Any]


def _tanh(x: Tensor, y: Tensor, call: Call) -> Pair:
    first = 1 - y * y
    return first, -2 * y * first


def _sigmoid(x: Tensor, y: Tensor, call: Call) -> Pair:
    first = y * (1 - y)
    return first, first * (1 - 2 * y)


def _softplus(x: Tensor, y: Tensor, call: Call) -> Pair:
    beta, threshold = call.argument("beta", 1), call.argument("threshold", 20)
    z = torch.sigmoid(beta * x)
    is_line = beta * x > threshold  # where PyTorch returns x itself
    return torch.where(is_line, 1.0, z), torch.where(is_line, 0.0, beta * z * (1 - z))


def _gelu(x: Tensor, y: Tensor, call: Call) -> Pair:
    if call.argument("approximate", "none") == "tanh":
        return _gelu_by_tanh(x)
    density = torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return 0.5 * (1 + torch.erf(x / math.sqrt(2))) + x * density, (2 - x * x) * density


def _gelu_by_tanh(x: Tensor) -> Pair:
    """Of x/2 (1 + tanh u), u = √(2/π) (x + 0.044715 x³)."""
    scale, cubic = math.sqrt(2 / math.pi), 0.044715
    t = torch.tanh(scale * (x + cubic * x**3))
    slope, bend = scale * (1 + 3 * cubic * x * x), 6 * scale * cubic * x
    first = 1 - t * t
    return (1 + t + x * first * slope) / 2, first * (slope - x * t * slope * slope + x * bend / 2)


def _silu(x: Tensor, y: Tensor, call: Call) -> Pair:
    z = torch.sigmoid(x)
    first = z * (1 - z)
    return z + x * first, first * (2 + x * (1 - 2 * z))


def _power(x: Tensor, y: Tensor, call: Call) -> Pair:
    p = call.args[1]
    # Powers 0, 1 and 2 apart: x^(p − 2) is not finite at x = 0 where its factor is zero.
    if p in (0, 1, 2):
        return {0: (None, None), 1: (torch.ones_like(x), None), 2: (2 * x, torch.full_like(x, 2))}[p]
    return p * x ** (p - 1), p * (p - 1) * x ** (p - 2)


def _elu(x: Tensor, y: Tensor, call: Call) -> Pair:
    alpha, scale, inner = (call.argument(n, 1) for n in ("alpha", "scale", "input_scale"))
    # No exponential of large x: its gradient would be infinite where the other branch is taken.
    e = torch.exp(inner * x.clamp(max=0))
    is_line = x > 0
    return torch.where(is_line, scale, alpha * scale * inner * e), torch.where(
        is_line, 0.0, alpha * scale * inner**2 * e
    )


def _step(x: Tensor, y: Tensor, call: Call) -> Pair:
    return (x > 0).to(x.dtype), None


def _leaky(x: Tensor, y: Tensor, call: Call) -> Pair:
    # Of two numbers `where` would make a tensor of the default dtype.
    return torch.where(x > 0, torch.ones_like(x), call.argument("negative_slope", 0.01)), None


BY_HAND: dict[Any, Callable[[Tensor, Tensor, Call], Pair]] = {
    aten.tanh.default: _tanh,
    aten.sigmoid.default: _sigmoid,
    aten.softplus.default: _softplus,
    aten.exp.default: lambda x, y, call: (y, y),
    aten.sin.default: lambda x, y, call: (x.cos(), -y),
    aten.cos.default: lambda x, y, call: (-x.sin(), -y),
    aten.sinh.default: lambda x, y, call: (x.cosh(), y),
    aten.cosh.default: lambda x, y, call: (x.sinh(), y),
    aten.log.default: lambda x, y, call: (1 / x, -1 / (x * x)),
    aten.log1p.default: lambda x, y, call: (1 / (1 + x), -1 / ((1 + x) * (1 + x))),
    aten.expm1.default: lambda x, y, call: (y + 1, y + 1),
    aten.reciprocal.default: lambda x, y, call: (-y * y, 2 * y * y * y),
    aten.rsqrt.default: lambda x, y, call: (-y / (2 * x), 3 * y / (4 * x * x)),
    aten.sqrt.default: lambda x, y, call: (1 / (2 * y), -1 / (4 * y * x)),
    aten.square.default: lambda x, y, call: (2 * x, torch.full_like(x, 2)),
    aten.erf.default: lambda x, y, call: (
        2 / math.sqrt(math.pi) * torch.exp(-x * x),
        -4 / math.sqrt(math.pi) * x * torch.exp(-x * x),
    ),
    aten.atanh.default: lambda x, y, call: (1 / (1 - x * x), 2 * x / (1 - x * x) ** 2),
    aten.atan.default: lambda x, y, call: (1 / (1 + x * x), -2 * x / (1 + x * x) ** 2),
    aten.relu.default: _step,
    aten.leaky_relu.default: _leaky,
    aten.elu.default: _elu,
    aten.pow.Tensor_Scalar: _power,
    aten.gelu.default: _gelu,
    aten.silu.default: _silu,
}
"""Operations that are not here take two nested jvps."""


def _gelu_third(x: Tensor, y: Tensor, first: Tensor, second: Tensor, call: Call) -> Tensor:
    return x * (x * x - 4) * torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _silu_third(x: Tensor, y: Tensor, first: Tensor, second: Tensor, call: Call) -> Tensor:
    z = torch.sigmoid(x)
    slope = z * (1 - z)
    return slope * ((1 - 2 * z) * (3 + x * (1 - 2 * z)) - 2 * x * slope)


Third = Callable[[Tensor, Tensor, Tensor, Tensor, Call], Tensor]
THIRD: dict[Any, Third] = {
    aten.tanh.default: lambda x, y, first, second, call: -2 * (first * first + y * second),
    aten.sigmoid.default: lambda x, y, first, second, call: second * (1 - 2 * y) - 2 * first * first,
    aten.exp.default: lambda x, y, first, second, call: y,
    aten.sin.default: lambda x, y, first, second, call: -first,
    aten.cos.default: lambda x, y, first, second, call: -first,
    aten.softplus.default: lambda x, y, first, second, call: call.argument("beta", 1) * second * (1 - 2 * first),
    aten.silu.default: _silu_third,
    aten.gelu.default: _gelu_third,
}
"""The third derivative by (x, f, f', f'', call), for gradients of the second. Of softplus f'' = 0 on its line."""

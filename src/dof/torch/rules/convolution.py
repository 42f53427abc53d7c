"""Convolutions with a kernel that may depend on x as well."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call
from dof.torch.registry import aten, written_out
from dof.torch.rules.bilinear import product_rule
from dof.torch.triple import Triple


@written_out("convolution.default")
def convolution(x: Any, weight: Any, bias: Any, *layout: Any) -> Any:
    """Convolution with a kernel, and a bias for each channel."""
    call = Call(aten.convolution.default, (x, weight, None, *layout), {})
    value = aten.convolution(*(v.value if call.is_operand(v) else v for v in (x, weight)), None, *layout)
    B = lambda a, b: _stacked_convolution(a, b, x, weight, layout)  # noqa: E731
    cross = lambda g, h: _cross_convolution(call, g, h, x, weight, layout)  # noqa: E731
    single = lambda a, b: aten.convolution(a.expand(x.shape), b.expand(weight.shape), None, *layout)  # noqa: E731
    product = product_rule(call, x, weight, value, B, cross, single)
    return product if bias is None else product + bias.reshape(-1, *[1] * (value.dim() - 2))


def _stacked_convolution(a: Tensor, b: Tensor, x: Any, weight: Any, layout: Any) -> Tensor:
    """Convolution with a stack on either side."""
    is_left = isinstance(x, Triple) and a is not x.value
    stack, value = (a, x.value) if is_left else (b, weight.value)
    stack = stack.expand(len(stack), *value.shape)
    of = (
        (lambda s: aten.convolution(s, b, None, *layout))
        if is_left
        else (lambda s: aten.convolution(a, s, None, *layout))
    )
    return torch.func.vmap(of)(stack)


def _cross_convolution(call: Call, g: Tensor, h: Tensor, x: Any, weight: Any, layout: Any) -> Tensor:
    weighed = call.form.weigh(g.expand(len(g), *x.value.shape))
    h = h.expand(len(h), *weight.value.shape)
    one = lambda a, b: aten.convolution(a, b, None, *layout)  # noqa: E731
    return torch.func.vmap(lambda w: torch.func.vmap(one)(w, h).sum(0))(weighed)

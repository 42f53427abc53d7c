"""The derivatives that fused elementwise rules use; for the most common functions without fresh memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.torch.buffers import empty_like
from dof.torch.fusing import can_write
from dof.torch.operation_call import Call
from dof.torch.registry import aten
from dof.torch.rules.elementwise_by_hand import BY_HAND, THIRD


class ElementwiseFunction:
    """An elementwise function f of one argument, with its derivatives."""

    def __init__(self, call: Call) -> None:
        self.call = call.options()

    def value(self, z: Tensor, out: Tensor | None = None) -> Tensor:
        """f(z), written into a tensor if one is given."""
        func, args, kwargs = self.call.func, self.call.args[1:], self.call.kwargs
        return func(z, *args, **kwargs) if out is None else func.overloadpacket.out(z, *args, **kwargs, out=out)

    def two(self, z: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """f'(z) and f''(z), where y = f(z)."""
        find = WRITTEN.get(self.call.func) if can_write() else None
        return BY_HAND[self.call.func](z, y, self.call) if find is None else find(z, y, empty_like(z), empty_like(z))

    def third(self, z: Tensor, y: Tensor, first: Tensor, second: Tensor) -> Tensor:
        """The third derivative from z, f, f', f''."""
        if self.call.func is aten.tanh.default and can_write():
            return torch.addcmul(first, first, first, value=-1.5, out=empty_like(y)).mul_(4)  # f' (4 - 6 f')
        return THIRD[self.call.func](z, y, first, second, self.call)


def _tanh(z: Tensor, y: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    torch.addcmul(y.new_ones(()), y, y, value=-1, out=first)
    return first, torch.addcmul(y.new_zeros(()), y, first, value=-2, out=second)


def _sigmoid(z: Tensor, y: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    torch.addcmul(y, y, y, value=-1, out=first)
    return first, torch.addcmul(first, y, first, value=-2, out=second)


WRITTEN: dict[Any, Callable[..., tuple[Tensor, Tensor]]] = {
    aten.tanh.default: _tanh,
    aten.sigmoid.default: _sigmoid,
    aten.sin.default: lambda z, y, first, second: (torch.cos(z, out=first), torch.neg(y, out=second)),
    aten.cos.default: lambda z, y, first, second: (torch.sin(z, out=first).neg_(), torch.neg(y, out=second)),
}
"""(z, f, room for f', room for f'') ↦ (f', f''), as `BY_HAND` has them, without gradients."""

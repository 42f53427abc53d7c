"""Functions and methods of tensors that are caught before they become aten operations: detach, conversions, padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from dof.torch.compat import functorch_is_active
from dof.torch.refusal import refuse
from dof.torch.registry import FUNCTIONS, aten, register
from dof.torch.rules.constant import constant
from dof.torch.rules.linear import elementwise_linear
from dof.torch.triple import Triple


def detached(x: Any) -> Any:
    """The value of a triple as a constant, for the operator and for gradients."""
    # A plain `detach` is what PyTorch does itself with tensors that it saves for a backward pass inside of f, where
    # derivatives stay. A copy is never taken by PyTorch, so that it can stand for the user's.
    return x.value.detach() if isinstance(x, Triple) else aten.detach_copy(x)


class UsersCalls(TorchFunctionMode):
    """Catches the user's `detach` also where a transformation of `torch.func` hides that a tensor is a triple."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Any function of PyTorch, or `detached` for detach."""
        chosen = FUNCTIONS[func] if func in DETACH and functorch_is_active() else func
        return chosen(*args, **(kwargs or {}))


def circular_padding(x: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """`torch.nn.functional.pad`, with circular padding by concatenation."""
    if mode != "circular":
        return torch.nn.functional.pad(x, pad, mode, value)
    for n in range(len(pad) // 2):
        before, after, axis = pad[2 * n], pad[2 * n + 1], x.dim() - 1 - n
        size = x.shape[axis]
        x = torch.cat([x.narrow(axis, size - before, before), x, x.narrow(axis, 0, after)], axis)
    return x


def diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """`torch.diff`: differences of neighbours along an axis, n times."""
    x = torch.cat([part for part in (prepend, x, append) if part is not None], dim)
    for _ in range(n):
        size = x.shape[dim]
        x = x.narrow(dim, 1, size - 1) - x.narrow(dim, 0, size - 1)
    return x


def batch_norm(
    x: Any, mean: Any, var: Any, weight: Any = None, bias: Any = None, training: bool = False, *rest: Any, **more: Any
) -> Any:
    """`torch.nn.functional.batch_norm`, refused in training."""
    if training:
        reason = "in training, which mixes rows, so that f is no function of one point"
        refuse("batch_norm", reason, "net.eval(), or LayerNorm or GroupNorm in its place")
    return torch.nn.functional.batch_norm(x, mean, var, weight, bias, training, *rest, **more)


def _refused(name: str, fix: str) -> Callable[..., Any]:
    reason = "which takes a value that depends on x away from its derivatives"
    return lambda *args, **kwargs: refuse(name, reason, fix)


DETACH = (torch.Tensor.detach, torch.detach)
FUNCTIONS |= dict.fromkeys(DETACH, detached)
FUNCTIONS |= dict.fromkeys((torch.diff, torch.Tensor.diff), diff)
FUNCTIONS[torch.nn.functional.pad] = circular_padding
FUNCTIONS[torch.nn.functional.batch_norm] = batch_norm
FUNCTIONS[torch.Tensor.data.__get__] = _refused(".data", "x.detach(), if it is to count as a constant")  # pyright: ignore
for _method in (torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__):
    FUNCTIONS[_method] = _refused(_method.__name__, "operations of PyTorch, or x.detach().numpy() for a constant")
register("linear", "detach.default", elementwise_linear)
register("constant", "detach_copy.default", constant)

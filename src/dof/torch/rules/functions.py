"""Functions and methods of tensors that are caught before they become aten operations: detach, conversions, padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from dof.torch.call import Call
from dof.torch.compat import functorch_is_active
from dof.torch.refusal import refuse
from dof.torch.registry import FUNCTIONS, register
from dof.torch.rules.linear import elementwise_linear
from dof.torch.triple import Triple


def detached(x: Any) -> Any:
    """The value of a triple as a constant, for the operator and for gradients."""
    return x.value.detach() if isinstance(x, Triple) else x.detach()


def detached_inside(call: Call) -> Any:
    """PyTorch's own detach, of what it saves for a backward pass inside of f: derivatives stay.

    What the user detaches comes to `detached`, but not from inside of a transformation of `torch.func`, where the two
    cannot be told apart.
    """
    if functorch_is_active():
        reason = "inside of a transformation of torch.func (vmap, grad, …), or beside writes in place"
        refuse("detach", reason, "write f for points in rows, without torch.func and without writes in place")
    return elementwise_linear(call)


def circular_padding(x: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """`torch.nn.functional.pad`, with circular padding by concatenation."""
    if mode != "circular":
        return torch.nn.functional.pad(x, pad, mode, value)
    for n in range(len(pad) // 2):
        before, after, axis = pad[2 * n], pad[2 * n + 1], x.dim() - 1 - n
        size = x.shape[axis]
        x = torch.cat([x.narrow(axis, size - before, before), x, x.narrow(axis, 0, after)], axis)
    return x


def _refused(name: str, fix: str) -> Callable[..., Any]:
    reason = "which takes a value that depends on x away from its derivatives"
    return lambda *args, **kwargs: refuse(name, reason, fix)


FUNCTIONS |= dict.fromkeys((torch.Tensor.detach, torch.detach), detached)
FUNCTIONS[torch.nn.functional.pad] = circular_padding
FUNCTIONS[torch.Tensor.data.__get__] = _refused(".data", "x.detach(), if it is to count as a constant")  # pyright: ignore
for _method in (torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__):
    FUNCTIONS[_method] = _refused(_method.__name__, "operations of PyTorch, or x.detach().numpy() for a constant")
register("linear", "detach.default", detached_inside)

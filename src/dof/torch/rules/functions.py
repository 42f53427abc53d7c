"""Functions and methods of tensors that are caught before they become aten operations: detach, conversions, padding."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from dof.torch import compat
from dof.torch.call import Call
from dof.torch.propagation import NeedsGraph
from dof.torch.refusal import calling_file, refuse
from dof.torch.registry import FUNCTIONS, aten, register
from dof.torch.rules.constant import constant
from dof.torch.triple import Triple


def detached(x: Any) -> Any:
    """The value of a triple as a constant, for the operator and for gradients."""
    caller = calling_file()
    if isinstance(x, Triple) and caller.startswith(AUTOGRAD):  # torch.autograd.functional makes new leaves by it
        return x.shared()
    if isinstance(x, Triple):
        while isinstance(x, Triple):  # a constant for the operators of outer runs too
            x = x.value
        return x.detach()
    # A plain `detach` is what PyTorch does itself with tensors that it saves for a backward pass inside of f, where
    # derivatives stay. A copy is never taken by PyTorch, so that it can stand for the user's.
    return aten.detach_copy(x)


def saved(call: Call) -> Any:
    """The same triple, for PyTorch: it detaches results that it saves for a backward pass inside of f."""
    (x,) = call.triples
    return x.shared()


def put_at(x: Any, place: Any, y: Any) -> None:
    """`x[place] = y`; complex numbers as pairs where f is functionalized.

    PyTorch has no gradients of `slice_scatter` for complex numbers.
    """
    if not (compat.functorch_is_active() and x.is_complex()):
        x[place] = y
        return
    y = y.to(x.dtype) if isinstance(y, torch.Tensor) else torch.as_tensor(y, dtype=x.dtype, device=x.device)
    places = place if isinstance(place, tuple) else (place,)
    behind = (slice(None),) if any(p is Ellipsis for p in places) else ()  # pairs are along one axis more
    torch.view_as_real(x)[(*places, *behind)] = torch.view_as_real(y.resolve_conj())


class UsersCalls(TorchFunctionMode):
    """Catches the user's `detach` also where a transformation of `torch.func` hides that a tensor is a triple.

    Graphs that f traces itself are refused: triples would become constants in them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.was_traced = compat.is_traced()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Any function of PyTorch, or its stand-in where a transformation hides triples."""
        if compat.is_traced() and not self.was_traced:
            reason = "while f traces a graph, in which derivatives are lost"
            refuse(getattr(func, "__name__", "a function"), reason, "torch.func.jvp in place of torch.func.linearize")
        if func in COPIES and args and _loses_derivatives(func, args[0]):
            fix = "x.clone() or torch.stack([…]), or x.detach() for a constant"
            _refused(f"torch.{func.__name__}", fix)()
        chosen = FUNCTIONS[func] if func in HIDDEN and compat.functorch_is_active() else func
        return chosen(*args, **(kwargs or {}))


def _loses_derivatives(func: Any, data: Any) -> bool:
    """Whether a new tensor of these data, or of numbers in lists, depends on x; `as_tensor` takes a tensor as it is."""
    if isinstance(data, (list, tuple)):
        return any(_loses_derivatives(torch.tensor, entry) for entry in data)
    return isinstance(data, Triple) and not data.is_constant and func is not torch.as_tensor


def circular_padding(x: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """`torch.nn.functional.pad`, with circular padding by concatenation."""
    if mode != "circular" or min(pad) < 0:
        return torch.nn.functional.pad(x, pad, mode, value)
    for n in range(len(pad) // 2):
        before, after, axis = pad[2 * n], pad[2 * n + 1], x.dim() - 1 - n
        size = x.shape[axis]
        x = torch.cat([x.narrow(axis, size - before, before), x, x.narrow(axis, 0, after)], axis)
    return x


def diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """`torch.diff`: differences of neighbours along an axis, n times."""
    x = torch.cat([part for part in (prepend, x, append) if part is not None], dim) if n else x
    for _ in range(min(n, x.shape[dim])):
        size = x.shape[dim]
        x = x.narrow(dim, 1, size - 1) - x.narrow(dim, 0, size - 1)
    return x


def batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """`torch.nn.functional.batch_norm`, refused in training."""
    if training:
        reason = "in training, which mixes rows, so that f is no function of one point"
        refuse("batch_norm", reason, "net.eval(), or LayerNorm or GroupNorm in its place")
    return torch.nn.functional.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """`torch.nn.functional.instance_norm`: layer norm over the axes of space, or batch norm with running statistics."""
    if not use_input_stats:
        return batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    shape = [1, -1, *[1] * (x.dim() - 2)]
    y = torch.nn.functional.layer_norm(x, x.shape[2:], eps=eps)
    y = y if weight is None else y * weight.reshape(shape)
    return y if bias is None else y + bias.reshape(shape)


def rrelu(x: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Any:
    """`torch.nn.functional.rrelu`, refused in training."""
    if training:
        refuse("rrelu", "in training, which draws random numbers, so that f is no function of x", "net.eval()")
    return torch.nn.functional.leaky_relu(x, (lower + upper) / 2, inplace)


def cosine_similarity(x: Any, y: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """`torch.nn.functional.cosine_similarity`, which PyTorch writes out under no_grad."""
    x, y = torch.broadcast_tensors(x, y)
    lengths = [torch.linalg.vector_norm(v, dim=dim).clamp_min(eps) for v in (x, y)]
    return (x * y).sum(dim) / (lengths[0] * lengths[1])


def _with_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that differentiates triples or announces it: f is run again where no graph of them was kept."""

    def run(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        leaves = [leaf for arg in given for leaf in (arg if isinstance(arg, (list, tuple)) else (arg,))]
        if any(isinstance(leaf, Triple) and not leaf.run.keeps_graph for leaf in leaves):
            raise NeedsGraph
        return function(*args, **kwargs)

    return run


def _refused(name: str, fix: str) -> Callable[..., Any]:
    reason = "which takes a value that depends on x away from its derivatives"
    return lambda *args, **kwargs: refuse(name, reason, fix)


AUTOGRAD = os.path.dirname(torch.autograd.__file__)
DETACH = (torch.Tensor.detach, torch.detach)
COPIES = (torch.tensor, torch.as_tensor)
HIDDEN = (*DETACH, torch.Tensor.__setitem__)
"""Caught also where no argument looks like a triple."""
FUNCTIONS |= dict.fromkeys(DETACH, detached)
FUNCTIONS[torch.Tensor.__setitem__] = put_at
for _derivative in (
    *(torch.autograd.grad, torch.autograd.backward, torch.Tensor.backward),
    *(torch.Tensor.requires_grad_, torch.Tensor.requires_grad.__set__),  # pyright: ignore[reportAttributeAccessIssue]
):
    FUNCTIONS[_derivative] = _with_graph(_derivative)
FUNCTIONS |= dict.fromkeys((torch.diff, torch.Tensor.diff), diff)
FUNCTIONS[torch.nn.functional.pad] = circular_padding
FUNCTIONS[torch.nn.functional.batch_norm] = batch_norm
FUNCTIONS[torch.nn.functional.rrelu] = rrelu
FUNCTIONS[torch.nn.functional.instance_norm] = instance_norm
FUNCTIONS[torch.nn.functional.cosine_similarity] = cosine_similarity
FUNCTIONS[torch.Tensor.data.__get__] = _refused(".data", "x.detach(), if it is to count as a constant")  # pyright: ignore
FUNCTIONS[torch.Tensor.data.__set__] = _refused(".data = …", "h = … in place of h.data = …")  # pyright: ignore
_MEMORY = (torch.Tensor.untyped_storage, torch.Tensor.storage, torch.Tensor.data_ptr, torch.Tensor.__dlpack__)
for _method in (torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__, *_MEMORY):
    FUNCTIONS[_method] = _refused(_method.__name__, "operations of PyTorch, or x.detach().numpy() for a constant")
register("linear", "detach.default", saved)
register("constant", "detach_copy.default", constant)

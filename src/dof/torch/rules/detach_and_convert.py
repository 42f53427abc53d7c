"""Rules for detach, copies and conversions, and for `autograd.grad` inside of f."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from dof.torch import torch_compat
from dof.torch.operation_call import Call
from dof.torch.propagation import NeedsGraph
from dof.torch.refusal import calling_file, refuse
from dof.torch.registry import FUNCTIONS, aten, register, written_out
from dof.torch.rules.constant import constant
from dof.torch.rules.linear import elementwise_linear
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
    if not (torch_compat.functorch_is_active() and x.is_complex()):
        x[place] = y
        return
    y = y.to(x.dtype) if isinstance(y, torch.Tensor) else torch.as_tensor(y, dtype=x.dtype, device=x.device)
    places = place if isinstance(place, tuple) else (place,)
    behind = (slice(None),) if any(p is Ellipsis for p in places) else ()  # pairs are along one axis more
    torch.view_as_real(x)[(*places, *behind)] = torch.view_as_real(y.resolve_conj())


@written_out("copy.default")
def copied(x: Any, y: Any, non_blocking: bool = False) -> Any:
    """y in the shape and dtype of x, which it takes the place of."""
    return y.to(x.dtype).expand(x.shape).clone()


class UsersCalls(TorchFunctionMode):
    """Catches the user's `detach` also where a transformation of `torch.func` hides that a tensor is a triple.

    Graphs that f traces itself are refused: triples would become constants in them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.was_traced = torch_compat.is_traced()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Any function of PyTorch, or its stand-in where a transformation hides triples."""
        if torch_compat.is_traced() and not self.was_traced:
            reason = "while f traces a graph, in which derivatives are lost"
            refuse(getattr(func, "__name__", "a function"), reason, "torch.func.jvp in place of torch.func.linearize")
        if func in COPIES and args and _loses_derivatives(func, args[0]):
            fix = "x.clone() or torch.stack([…]), or x.detach() for a constant"
            _refused(f"torch.{func.__name__}", fix)()
        chosen = FUNCTIONS[func] if func in HIDDEN and torch_compat.functorch_is_active() else func
        return chosen(*args, **(kwargs or {}))


def _loses_derivatives(func: Any, data: Any) -> bool:
    """Whether a new tensor of these data, or of numbers in lists, depends on x; `as_tensor` takes a tensor as it is."""
    if isinstance(data, (list, tuple)):
        return any(_loses_derivatives(torch.tensor, entry) for entry in data)
    return isinstance(data, Triple) and not data.is_constant and func is not torch.as_tensor


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
FUNCTIONS[torch.Tensor.data.__get__] = _refused(".data", "x.detach(), if it is to count as a constant")  # pyright: ignore
FUNCTIONS[torch.Tensor.data.__set__] = _refused(".data = …", "h = … in place of h.data = …")  # pyright: ignore
_MEMORY = (torch.Tensor.untyped_storage, torch.Tensor.storage, torch.Tensor.data_ptr, torch.Tensor.__dlpack__)
for _method in (torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.__array__, *_MEMORY):
    FUNCTIONS[_method] = _refused(_method.__name__, "operations of PyTorch, or x.detach().numpy() for a constant")
register("linear", "detach.default", saved)
register("linear", "clone alias _to_copy lift_fresh contiguous", elementwise_linear)
register("constant", "detach_copy.default", constant)

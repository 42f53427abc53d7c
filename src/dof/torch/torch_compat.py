"""All that dof uses of PyTorch and that is not public there. `tests/pytorch/test_torch_compat.py` is the contract."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch._C import DisableTorchFunctionSubclass
from torch._decomp import decomposition_table

__all__ = [
    "DisableTorchFunctionSubclass",
    "aten_of",
    "change_shape_in_place",
    "comes_from_script",
    "decomposition_of",
    "forward_mode_is_enabled",
    "functorch_is_active",
    "has_backward_hooks",
    "is_batched",
    "is_composite",
    "is_traced",
    "is_transformed",
    "make_triple_shell",
    "operations_are_watched",
    "traced_graph",
    "uncompiled",
    "uses_of",
]


_BATCHED = torch._C._dispatch_key_parse("Batched")  # pyright: ignore[reportAttributeAccessIssue]


def functorch_is_active() -> bool:
    """Whether a transformation of `torch.func` (grad, vmap, jvp, …) is under way."""
    return torch._C._functorch.peek_interpreter_stack() is not None  # pyright: ignore[reportAttributeAccessIssue]


def forward_mode_is_enabled() -> bool:
    """False inside of the `forward` of a `torch.autograd.Function`, and in inference mode."""
    return torch._C._is_fwd_grad_enabled()


def operations_are_watched() -> bool:
    """Whether operations are traced, compiled or differentiated by something else than plain autograd."""
    has_mode = torch._C._len_torch_dispatch_stack() > 0
    return has_mode or torch.compiler.is_compiling() or is_transformed()


def is_batched(tensor: torch.Tensor) -> bool:
    """Whether a tensor stands for many, as in `torch.autograd.grad` with `is_grads_batched`."""
    return torch._C._dispatch_keys(tensor).has(_BATCHED)  # pyright: ignore


def is_traced() -> bool:
    """Whether `make_fx` is under way."""
    return torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.PROXY) is not None


def is_transformed() -> bool:
    """Whether a transformation of `torch.func` or forward differentiation is under way."""
    return torch.autograd.forward_ad._current_level >= 0 or functorch_is_active()


def comes_from_script(tensor: torch.Tensor) -> bool:
    """Whether a tensor is the result of a program of `torch.jit`, which is run on inputs that are detached."""
    return tensor.grad_fn is not None and "DifferentiableGraph" in tensor.grad_fn.name()


def decomposition_of(func: Any) -> Any:
    """PyTorch's own way to write an operation out in simpler ones; None if it has none."""
    return decomposition_table.get(func)


def aten_of(prim: Any) -> Any:
    """The function of PyTorch that computes what an operation of `torch.ops.prims` does."""
    return prim.impl_aten


def is_composite(func: Any) -> bool:
    """Whether an operation is made of others, so that `func.decompose` writes it out."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")


def has_backward_hooks(module: torch.nn.Module) -> bool:
    """Whether a module, or one inside of it, has hooks that are to see the gradients of its results."""
    return any(m._backward_hooks or m._backward_pre_hooks for m in module.modules())


def make_triple_shell(cls: Any, value: torch.Tensor) -> Any:
    """A tensor of a subclass with the shape, strides, dtype and device of `value`, and no memory of its own."""
    return torch.Tensor._make_wrapper_subclass(
        cls, value.shape, strides=value.stride(), dtype=value.dtype, device=value.device
    )


def change_shape_in_place(func: Any, target: torch.Tensor, args: Any, kwargs: Any) -> None:
    """Apply `squeeze_`, `transpose_` or another change of the shape to the shell of a triple alone."""
    with torch._C._DisableTorchDispatch():
        func(target, *args, **kwargs)


def uses_of(storage: torch.UntypedStorage) -> int:
    """How many tensors use this memory, and one for the object `storage` itself."""
    return torch._C._storage_Use_Count(storage._cdata)  # pyright: ignore[reportAttributeAccessIssue]


def uncompiled() -> AbstractContextManager[Any]:
    """Within it, what `torch.compile` made runs as it was written: it would compile the rules of triples as well."""
    # Where nothing was compiled yet, PyTorch need not import its compiler, which takes a second.
    is_used = "torch._dynamo" in sys.modules and not torch.compiler.is_compiling()
    return torch.compiler.set_stance("force_eager") if is_used else nullcontext()


def traced_graph(function: Any, *args: Any) -> Any:
    """`function` at these arguments as one flat graph of aten operations."""
    from torch.fx.experimental.proxy_tensor import make_fx

    return make_fx(function)(*args)

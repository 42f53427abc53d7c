"""The checks of x: a floating or complex tensor with points in rows, not under `torch.func.vmap` or its like."""

from __future__ import annotations

from typing import Any

import torch

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.frameworks import refuse_jax
from dof.torch import torch_compat


def require_tensor(argument: str, x: Any) -> None:
    """Refuse points that are no tensor of PyTorch."""
    refuse_jax(argument, x)
    if not isinstance(x, torch.Tensor):
        fix = f"torch.as_tensor({argument}, dtype=torch.float32), with N coordinates on the last axis"
        raise ArgumentTypeError(describe(argument, f"is of type {type(x).__name__}", "a tensor (…, N)", fix))


def require_points(x: Any) -> None:
    """Refuse an x that is no floating or complex tensor, or is under a transformation of `torch.func`."""
    if torch_compat.functorch_is_active():
        found = "is given to an operator inside of torch.func.grad, vmap, jvp or another transformation"
        fix = "L(f)(x) with all points in the rows of x, and torch.autograd.grad or .backward() for gradients"
        raise ArgumentError(describe("x", found, "plain points in rows, since gradients would be lost", fix))
    require_tensor("x", x)
    if not (x.is_floating_point() or x.is_complex()) or x.dim() == 0:
        found, fix = f"has dtype {x.dtype} and shape {tuple(x.shape)}", "x.float(), with N coordinates on the last axis"
        raise ArgumentTypeError(describe("x", found, "a floating or complex tensor (…, N)", fix))

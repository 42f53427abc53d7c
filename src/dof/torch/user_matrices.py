"""Forms of A with a class of their own, for the user: Lᵀ diag(±1) L, and square blocks along the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown


class Factored:
    """A = Lᵀ diag(signs) L, given by the r rows of L, (r, N). For A = σ σᵀ pass σᵀ.

    As the result of a function of x, L is (…, r, N), with the axes of points in front.

    Examples:
        >>> import torch, dof.torch as dof
        >>> wave = dof.Operator(a=dof.Factored(torch.eye(2), signs=(1, -1)))
        >>> wave(lambda x: x[..., 0] ** 2 + 3 * x[..., 1] ** 2)(torch.ones(2))
        tensor(-4.)
    """

    def __init__(self, L: Any, signs: Any = None) -> None:
        _require_no_function("L", L, "Factored")
        self.L = as_coefficient("L", L)
        r = self.L.shape[-2] if self.L.ndim > 1 else -1
        self.signs = np.ones(max(r, 0)) if signs is None else np.asarray(signs, float)
        if self.L.ndim < 2 or self.signs.shape != (r,) or not np.isin(self.signs, (-1, 1)).all():
            found = f"has `L` of shape {tuple(self.L.shape)} and the signs {self.signs.tolist()}"
            fix = "dof.Factored(L[None, :], (1,))"
            raise ArgumentError(describe("Factored", found, "L of shape (r, N) and r signs +1 or −1", fix))

    def __repr__(self) -> str:
        return f"dof.Factored(L of shape {tuple(self.L.shape)})"


class BlockDiagonal:
    """A with square blocks along its diagonal: an array (m, b, b), or a sequence of square arrays of any sizes.

    As the result of a function of x, blocks are (…, m, b, b), with the axes of points in front.

    Examples:
        >>> import torch, dof.torch as dof
        >>> pairs = dof.Operator(a=dof.BlockDiagonal(torch.ones(2, 2, 2)))
        >>> pairs(lambda x: x[..., 0] * x[..., 1] + x[..., 2] ** 2)(torch.ones(4))
        tensor(4.)
    """

    def __init__(self, blocks: Any) -> None:
        _require_no_function("blocks", blocks, "BlockDiagonal")
        is_stack = hasattr(blocks, "shape")
        self.stacks = [as_coefficient("blocks", b) for b in ([blocks] if is_stack else blocks)]
        if not is_stack:
            self.stacks = [stack[..., None, :, :] for stack in self.stacks]
        for stack in self.stacks:
            if stack.ndim < 3 or stack.shape[-1] != stack.shape[-2]:
                expected = "square blocks: an array (m, b, b) or a sequence of arrays (b, b)"
                fix = "dof.BlockDiagonal([torch.eye(2), torch.eye(3)])"
                raise ArgumentError(describe("blocks", f"has a block of shape {tuple(stack.shape)}", expected, fix))

    def __repr__(self) -> str:
        return f"dof.BlockDiagonal(blocks of shapes {[tuple(stack.shape) for stack in self.stacks]})"


def _require_no_function(argument: str, value: Any, kind: str) -> None:
    """Refuse a function of x, which goes around the matrix and not into it."""
    if callable(value):
        fix = f"a=lambda x: dof.{kind}({argument}(x))"
        raise ArgumentTypeError(describe(argument, "is a function", "numbers", fix))


def as_coefficient(argument: str, value: Any) -> Any:
    """Numbers that do not change as a NumPy array in double precision; a tensor that requires gradients as it is.

    Raises:
        ArgumentTypeError: if these are no numbers.
        ArgumentError: if they are not finite.
    """
    if isinstance(value, torch.Tensor) and (value.requires_grad or (torch.is_grad_enabled() and value.grad_fn)):
        return value
    if isinstance(value, torch.Tensor):
        # A copy: a coefficient that is known must not change afterwards, since A is factored once.
        array = value.detach().cpu().to(torch.complex128 if value.is_complex() else torch.float64).numpy().copy()
    else:
        array = np.array(value)
    if array.dtype.kind not in "bifc":
        expected, fix = "numbers, or a function of x that returns them", f"{argument} = torch.as_tensor({argument})"
        raise ArgumentTypeError(describe(argument, f"is {shown(value)}", expected, fix))
    if not np.isfinite(array).all():
        found, fix = f"is {array}" if not array.ndim else "has entries that are not", f"torch.nan_to_num({argument})"
        raise ArgumentError(describe(argument, found, "finite numbers", fix))
    return array.astype(np.result_type(array.dtype, np.float64))

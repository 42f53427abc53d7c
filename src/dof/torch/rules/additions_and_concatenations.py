"""Sums of operands, and operands side by side, without arrays of zeros for those that do not depend on x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call, add_parts, map_part
from dof.torch.registry import RECORDS, Record, aten, register
from dof.torch.rules.shapes import lifted


def sums(call: Call) -> Any:
    """x + α y, x − α y, or y − α x (rsub), without arrays of zeros."""
    value = call(*call.values)
    alpha, name = call.argument("alpha", 1), call.func.name()
    factors = (-alpha, 1) if "rsub" in name else (1, -alpha if "sub" in name else alpha)
    each = [(t, factor) for t, factor in zip(call.args, factors, strict=False) if call.is_operand(t)]
    scaled = lambda stack, t, factor: map_part(lambda s: _times(factor, lifted(s, t.value, value)), stack)  # noqa: E731
    return call.triple(
        value,
        add_parts(scaled(t.tangents, t, factor) for t, factor in each),
        add_parts(scaled(t.applied, t, factor) for t, factor in each),
    )


def _times(factor: Any, stack: Tensor) -> Tensor:
    return stack if factor == 1 else factor * stack


def concatenated(call: Call) -> Any:
    """Side by side; what does not depend on x has tangents zero."""
    tensors, dim = call.args[0], call.argument("dim", 0)
    value = call(*call.values)
    # An empty vector is allowed beside tensors of any shape, and adds nothing.
    operands = [t for t in tensors if t.shape != (0,)]
    axis = dim % value.dim()

    def joined(name: str, count: int) -> Any:
        stacks = [getattr(t, name) if call.is_operand(t) else None for t in operands]
        if all(stack is None for stack in stacks):
            return None
        common = torch.broadcast_shapes(*(_without_axis(s.shape, axis + 1) for s in stacks if s is not None))
        each = zip(stacks, operands, strict=True)
        return torch.cat([_over(s, count, common, axis + 1, t.shape[axis], value) for s, t in each], axis + 1)

    return call.triple(value, joined("tangents", call.form.directions), joined("applied", call.form.channels))


def _without_axis(shape: Sequence[int], axis: int) -> list[int]:
    return [1 if n == axis else size for n, size in enumerate(shape)]


def _over(stack: Any, count: int, common: Sequence[int], axis: int, size: int, like: Tensor) -> Tensor:
    shape = [count, *common[1:]]
    shape[axis] = size
    return like.new_zeros(shape) if stack is None else stack.expand(shape).to(like.dtype)


def stacked(tensors: Any, dim: int = 0) -> Any:
    """Side by side on a new axis."""
    return torch.cat([t.unsqueeze(dim) for t in tensors], dim)


register("linear", "add.Tensor sub.Tensor add.Scalar sub.Scalar rsub.Tensor rsub.Scalar", sums)
register("linear", "cat", concatenated)
RECORDS[aten.stack.default] = Record("linear", stacked, takes_call=False)

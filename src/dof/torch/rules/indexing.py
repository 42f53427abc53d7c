"""Elements at some places: taken by indices or a mask, put at places of others, chosen by a condition.

Slices and selections at one place of an axis are in `sums_and_slices_along_axes.py`.
"""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.operation_call import Call, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import RECORDS, Record, aten, register, written_out
from dof.torch.rules.linear import by_vmap
from dof.torch.rules.shapes import lifted
from dof.torch.rules.sums_and_slices_along_axes import along_axes


def chosen(call: Call) -> Any:
    """where(condition, x, y)."""
    condition, x, y = call.args
    value = call(*call.values)

    def part(name: str) -> Any:
        stacks = [getattr(t, name) if call.is_operand(t) else None for t in (x, y)]
        if all(stack is None for stack in stacks):
            return None
        zero = value.new_zeros(())
        x_part, y_part = (zero if s is None else lifted(s, t.value, value) for s, t in zip(stacks, (x, y), strict=True))
        return torch.where(condition, x_part, y_part)

    return call.triple(value, part("tangents"), part("applied"))


def masked_fill(x: Any, mask: Any, filling: Any) -> Any:
    """Elements of x, or another value where a mask is true."""
    filling = torch.as_tensor(filling, dtype=x.dtype, device=x.device)
    return torch.where(mask, filling, x)


@written_out("index_fill.int_Scalar", "index_fill.int_Tensor")
def index_fill(x: Any, dim: int, index: Any, filling: Any) -> Any:
    """Elements of x, or another value at some places of an axis; a place may be named twice."""
    if not x.dim():
        return index_fill(x[None], 0, index, filling)[0]
    is_filled = torch.zeros(x.shape[dim], dtype=torch.bool, device=x.device).index_fill(0, index, True)
    behind = [1] * (x.dim() - 1 - dim % x.dim())
    return masked_fill(x, is_filled.reshape(-1, *behind), filling)


@written_out("embedding.default")
def embedding(weight: Any, indices: Any, *options: Any) -> Any:
    """Rows of a weight that depends on x; the options change gradients in PyTorch, and are left out."""
    return weight[indices]


@written_out("select_scatter.default")
def placed_at(x: Any, y: Any, dim: int, index: int) -> Any:
    """x with y at one place of an axis. PyTorch 2.13 has a wrong gradient in y for this operation under vmap."""
    index = index % x.shape[dim]
    return torch.slice_scatter(x, y.unsqueeze(dim), dim, index, index + 1)


def strided(call: Call) -> Any:
    """Elements by their place in the memory of a value, which for stacks is another."""
    (x,), value = call.triples, call(*call.values)
    places = torch.full((x.value.untyped_storage().nbytes() // x.value.element_size(),), -1, device=value.device)
    own = places.as_strided(x.value.shape, x.value.stride(), x.value.storage_offset())
    own.copy_(torch.arange(x.value.numel(), device=value.device).reshape(x.value.shape))
    offset = call.argument("storage_offset")
    found = places.as_strided(value.shape, call.argument("stride"), own.storage_offset() if offset is None else offset)
    if (found < 0).any():
        refuse(call.func, "which reads memory outside of the tensor that it is given", "x[…] of the whole tensor")
    part = lambda stack: stack.flatten(1)[:, found]  # noqa: E731
    full = lambda stack, name: map_part(lambda _: part(getattr(x, name)()), stack)  # noqa: E731
    return call.triple(value, full(x.tangents, "full_tangents"), full(x.applied, "full_applied"))


register("linear", "index_select", along_axes)
register("linear", "take index.Tensor _unsafe_index.Tensor gather masked_select", by_vmap)
register("linear", "put index_put _unsafe_index_put index_add index_copy masked_scatter", by_vmap)
register("linear", "scatter.src scatter_add slice_scatter diagonal_scatter", by_vmap)
register("linear", "where.self", chosen)
for _overload in (aten.masked_fill.Scalar, aten.masked_fill.Tensor):
    RECORDS[_overload] = Record("linear", masked_fill, takes_call=False)
register("linear", "as_strided as_strided_copy.default", strided)

"""Linear operations: the same map on value, tangents and applied.

Here are the rules for those of any kind (by vmap) and for those that take stacks as they take values, and operations
that are in no other file: signs, units of angles, diagonals and triangles of matrices. Others are registered in files
that are named by them, from `additions_and_concatenations.py` to `sums_and_slices_along_axes.py`.

Tangents may have size one on an axis along which they are constant (the axes of points, as long as x was only
multiplied with constants). Operations along an axis write that axis out and leave the others as they are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.func import vmap

from dof.torch.operation_call import Call, map_part
from dof.torch.registry import register
from dof.torch.triple import is_smooth


def by_vmap(call: Call) -> Any:
    """Any linear or affine operation: the linear part of it on the stacks."""
    value = call(*call.values)
    tangents = applied = None
    if any(t.tangents is not None for t in call.triples):
        tangents = _on_stacks(call, [t.full_tangents() for t in call.triples])
    if any(t.applied is not None for t in call.triples):
        applied = _on_stacks(call, [t.full_applied() for t in call.triples])
    return results(call, value, tangents, applied)


def _on_stacks(call: Call, stacks: list[Tensor]) -> Any:
    try:
        return vmap(call.homogeneous)(*stacks)
    except RuntimeError:  # no batching rule in PyTorch
        each = [call.homogeneous(*entries) for entries in zip(*stacks, strict=True)]
        return torch.stack(each) if isinstance(each[0], torch.Tensor) else [*map(torch.stack, zip(*each, strict=True))]


def results(call: Call, value: Any, tangents: Any, applied: Any) -> Any:
    """One triple, or one for each of several results (split, unbind)."""
    if isinstance(value, torch.Tensor):
        return call.triple(value, tangents, applied)
    part = lambda whole, n: None if whole is None else whole[n]  # noqa: E731
    return [call.triple(v, part(tangents, n), part(applied, n)) for n, v in enumerate(value)]


def elementwise_linear(call: Call) -> Any:
    """Negation, copies, casts, real parts: the operation takes stacks as it takes values."""
    (x,), value = call.triples, call(*call.values)
    if not is_smooth(value):  # a cast to integers
        return value.detach()
    # The memory format is one of values only: a stack has one axis more.
    on_stacks = Call(call.func, call.args, {k: v for k, v in call.kwargs.items() if k != "memory_format"})
    return results(call, value, *(map_part(on_stacks, part) for part in (x.tangents, x.applied)))


register("linear", "neg _neg_view resolve_neg positive deg2rad rad2deg", elementwise_linear)
register("linear", "tril triu diagonal trace diag_embed", by_vmap)

"""Linear operations: the same map on value, tangents and applied.

Here are those of any kind (by vmap) and those that take stacks as they take values. Beside them: operations along
numbered axes (`sums_and_slices_along_axes.py`), changes of shape (`shapes.py`), additions and what is put side by side
(`additions_and_concatenations.py`), choices of elements (`indexing.py`).

Tangents may have size one on an axis along which they are constant (the axes of points, as long as x was only
multiplied with constants). Operations along an axis write that axis out and leave the others as they are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.func import vmap

from dof.torch.operation_call import Call, map_part
from dof.torch.registry import register, written_out
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


def real_and_imaginary(call: Call) -> Any:
    """Real and imaginary parts on a new last axis, also of conjugates that are not written out yet."""
    (x,) = call.triples
    part = lambda stack: torch.view_as_real(stack.resolve_conj())  # noqa: E731
    return call.triple(part(x.value), map_part(part, x.tangents), map_part(part, x.applied))


def of_real_and_imaginary(call: Call) -> Any:
    """Complex numbers of real and imaginary parts on the last axis, along which a stack may have size one."""
    (x,) = call.triples
    part = lambda stack: torch.view_as_complex(stack.expand(*stack.shape[:-1], 2).contiguous())  # noqa: E731
    return call.triple(call(*call.values), map_part(part, x.tangents), map_part(part, x.applied))


@written_out("copy.default")
def copied(x: Any, y: Any, non_blocking: bool = False) -> Any:
    """y in the shape and dtype of x, which it takes the place of."""
    return y.to(x.dtype).expand(x.shape).clone()


register(
    "linear",
    "neg clone alias _to_copy lift_fresh positive _conj _conj_physical conj_physical real imag",
    elementwise_linear,
)
register("linear", "resolve_conj resolve_neg _neg_view contiguous", elementwise_linear)
register("linear", "view_as_real", real_and_imaginary)
register("linear", "view_as_complex", of_real_and_imaginary)
register("linear", "deg2rad rad2deg", elementwise_linear)
register(
    "linear",
    """t roll tril triu diagonal unfold repeat trace diag_embed rot90 view_as_real_copy view_as_complex_copy
    select_copy.int slice_copy.Tensor unsqueeze_copy permute_copy transpose_copy.int expand_copy t_copy
    squeeze_copy unfold_copy diagonal_copy alias_copy unbind_copy.int split_copy.Tensor
    split_with_sizes_copy _reshape_copy""",
    by_vmap,
)

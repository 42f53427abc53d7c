"""Changes of shape: the same elements in other axes, for values and for stacks of them; views as copies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from dof.torch.operation_call import Call, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import overloads, register
from dof.torch.rules.linear import by_vmap
from dof.torch.slots import Slots, split_seed
from dof.torch.triple import is_smooth


def reshaped(call: Call) -> Any:
    """The same elements in another shape."""
    (x,), value = call.triples, call(*call.values)
    part = lambda stack: reshape_stack(stack, x.value.shape, value.shape)  # noqa: E731
    tangents = _seed_in_slots(call, x, value) if x.is_seed else None
    return call.triple(value, map_part(part, x.tangents) if tangents is None else tangents, map_part(part, x.applied))


def _seed_in_slots(call: Call, x: Any, value: Tensor) -> Tensor | None:
    """Tangents of x in slots, if the coordinates are split into particles that A does not couple."""
    points, new = x.value.shape[:-1], value.shape[x.value.dim() - 1 :]
    if value.shape[: len(points)] != points or len(new) < 2:
        return None
    found = split_seed(call.form, new, value)
    if found is None:
        return None
    tangents, form = found
    call.keep_slots(Slots(-len(new), form))
    return tangents.reshape(len(tangents), *[1] * len(points), *new)


def reshape_stack(stack: Tensor, old: Sequence[int], new: Sequence[int]) -> Tensor:
    """A stack over values of shape `old`, over the same values in the shape `new`.

    Axes are taken in groups with the same number of elements before and after. A group in which the stack has size one
    everywhere stays that way.
    """
    if math.prod(old) == 0:
        return stack.expand(len(stack), *old).reshape(len(stack), *new)
    expanded, shape = [len(stack)], [len(stack)]
    for before, after in axis_groups(old, new):
        sizes = [stack.shape[1 + axis] for axis in before]
        is_constant = all(size == 1 for size in sizes)
        expanded += sizes if is_constant else [old[axis] for axis in before]
        shape += [1 if is_constant else new[axis] for axis in after]
    return stack.expand(expanded).reshape(shape)


def axis_groups(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The smallest runs of axes of two shapes that have the same number of elements."""
    groups, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        before, after = [i] if i < len(old) else [], [j] if j < len(new) else []
        i, j = i + len(before), j + len(after)
        while (m := math.prod(old[a] for a in before)) != (n := math.prod(new[a] for a in after)):
            if m < n:
                before.append(i)
                i += 1
            else:
                after.append(j)
                j += 1
        groups.append((before, after))
    return groups


def expanded(call: Call) -> Any:
    """More points or elements of the same value: a stack stays of size one on the new axes."""
    (x,), value = call.triples, call(*call.values)
    new = [1] * (value.dim() - x.value.dim())
    part = lambda stack: stack.reshape(len(stack), *new, *stack.shape[1:])  # noqa: E731
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


def squeezed(call: Call) -> Any:
    """Axes of size one left out, all or some of them; a stack may have size one on others as well."""
    (x,), value = call.triples, call(*call.values)
    ndim, dims = x.value.dim(), call.argument("dim")
    given = range(ndim) if dims is None else [d % max(ndim, 1) for d in (dims if isinstance(dims, list) else [dims])]
    kept = [axis for axis, size in enumerate(x.value.shape) if size != 1 or axis not in given]
    part = lambda stack: stack.reshape(len(stack), *(stack.shape[1 + axis] for axis in kept))  # noqa: E731
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


def lifted(stack: Tensor, value: Tensor, to: Tensor) -> Tensor:
    """A stack over `value` as one over a result with more axes, to which the value is broadcast."""
    new = to.dim() - value.dim()
    return stack.reshape(len(stack), *[1] * new, *stack.shape[1:]) if new > 0 else stack


def with_other_dtype(call: Call) -> Any:
    """x.view(dtype), the bits of x taken for other numbers, of which PyTorch has no derivatives."""
    value = call(*(value.detach() for value in call.values))
    if is_smooth(value):
        fix = "torch.view_as_complex(x) and torch.view_as_real(x), or x.to(dtype), which converts numbers"
        refuse(call.func, "with a dtype, which takes bits for other numbers and has no derivatives", fix)
    return value


SHAPE_ONLY = set(overloads("view _unsafe_view reshape _reshape_alias view_copy"))
register("linear", "view _unsafe_view reshape _reshape_alias view_copy", reshaped)
register("linear", "view.dtype", with_other_dtype)
register("linear", "expand", expanded)
register("linear", "squeeze.default squeeze.dim squeeze.dims", squeezed)
register("linear", "repeat", by_vmap)
register(
    "linear",
    """select_copy.int slice_copy.Tensor unsqueeze_copy permute_copy transpose_copy.int expand_copy t_copy squeeze_copy
    unfold_copy diagonal_copy alias_copy unbind_copy.int split_copy.Tensor split_with_sizes_copy _reshape_copy""",
    by_vmap,
)

"""Linear operations: the same map on value, tangents and applied.

Tangents may have size one on an axis along which they are constant (the axes of points, as long as x was only
multiplied with constants). Operations along an axis write that axis out and leave the others as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.func import vmap

from dof.torch.call import Call, add_parts, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import RECORDS, aten, overloads, register
from dof.torch.slots import Slots, split_seed

DIMENSIONS = ("dim", "dim0", "dim1", "dim2", "dims", "dimension")
"""What aten calls arguments that number the axes of an operand."""


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
    if call.kwargs.get("memory_format") is not None:  # of values only: a stack has one axis more
        plain = Call(call.func, call.args, {k: v for k, v in call.kwargs.items() if k != "memory_format"})
        x = _x(call)
        return results(call, call(*call.values), *(map_part(plain, part) for part in (x.tangents, x.applied)))
    return results(call, call(*call.values), *(map_part(call, part) for part in (_x(call).tangents, _x(call).applied)))


def strided(call: Call) -> Any:
    """Elements by their place in the memory of a value, which for stacks is another."""
    x, value = _x(call), call(*call.values)
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


def real_and_imaginary(call: Call) -> Any:
    """Real and imaginary parts on a new last axis, also of conjugates that are not written out yet."""
    x = _x(call)
    part = lambda stack: torch.view_as_real(stack.resolve_conj())  # noqa: E731
    return call.triple(part(x.value), map_part(part, x.tangents), map_part(part, x.applied))


def along_axes(call: Call) -> Any:
    """Operations along numbered axes: on stacks the numbers are larger by one."""
    x = _x(call)
    if not x.value.dim():  # PyTorch takes a number for a vector of one element here
        return by_vmap(call)
    value = call(*call.values)
    shifted, axes = _shifted(call, x.value.dim())
    part = lambda stack: shifted(_written_out(stack, x.value, axes))  # noqa: E731
    return results(call, value, map_part(part, x.tangents), map_part(part, x.applied))


def _x(call: Call) -> Any:
    (x,) = call.triples
    return x


def _shifted(call: Call, ndim: int) -> tuple[Any, list[int]]:
    """(the operation on stacks, the axes of a value along which it works)."""
    # A new axis may stand behind the last one.
    count = ndim + 1 if call.func in NEW_AXIS else ndim
    names = [a.name for a in call.func._schema.arguments]
    args, kwargs = list(call.args), dict(call.kwargs)
    axes: list[int] = []

    def shift(dims: Any) -> Any:
        each = [d % max(count, 1) for d in (dims if isinstance(dims, (list, tuple)) else [dims])]
        axes.extend(each)
        if not isinstance(dims, (list, tuple)):
            return each[0] + 1
        # A permutation names all axes of a stack.
        return [0] * (call.func is aten.permute.default) + [d + 1 for d in each]

    defaults = {a.name: a.default_value for a in call.func._schema.arguments if a.name in DIMENSIONS}
    for name, default in defaults.items():
        given = call.argument(name, default)
        if given is None or given == []:
            given = list(range(ndim))
        if name in kwargs or names.index(name) >= len(args):
            kwargs[name] = shift(given)
        else:
            args[names.index(name)] = shift(given)
    return lambda stack: call.func(stack, *args[1:], **kwargs), [] if call.func in MOVES_AXES else axes


def _written_out(stack: Tensor, value: Tensor, axes: Sequence[int]) -> Tensor:
    """A stack with these axes of the value written out where it has size one there."""
    shape = list(stack.shape)
    for axis in axes:
        shape[axis + 1] = value.shape[axis]
    return stack.expand(shape)


def reshaped(call: Call) -> Any:
    """The same elements in another shape."""
    x, value = _x(call), call(*call.values)
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
    x, value = _x(call), call(*call.values)
    new = [1] * (value.dim() - x.value.dim())
    part = lambda stack: stack.reshape(len(stack), *new, *stack.shape[1:])  # noqa: E731
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


def squeezed(call: Call) -> Any:
    """Axes of size one left out, all or some of them; a stack may have size one on others as well."""
    x, value = _x(call), call(*call.values)
    ndim, dims = x.value.dim(), call.argument("dim")
    given = range(ndim) if dims is None else [d % max(ndim, 1) for d in (dims if isinstance(dims, list) else [dims])]
    kept = [axis for axis, size in enumerate(x.value.shape) if size != 1 or axis not in given]
    part = lambda stack: stack.reshape(len(stack), *(stack.shape[1 + axis] for axis in kept))  # noqa: E731
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


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


def lifted(stack: Tensor, value: Tensor, to: Tensor) -> Tensor:
    """A stack over `value` as one over a result with more axes, to which the value is broadcast."""
    new = to.dim() - value.dim()
    return stack.reshape(len(stack), *[1] * new, *stack.shape[1:]) if new > 0 else stack


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


def padded(call: Call) -> Any:
    """Padding with a number, which has no derivatives."""
    x, value, pad = _x(call), call(*call.values), call.argument("pad")
    axes = [x.value.dim() - 1 - n for n in range(len(pad) // 2)]
    part = lambda stack: call.func(_written_out(stack, x.value, axes), pad)  # noqa: E731
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


def filled(call: Call) -> Any:
    """Elements at some places of an axis become a number."""
    x, value = _x(call), call(*call.values)
    dim, index = call.argument("dim"), call.argument("index")
    if not x.value.dim():
        return value
    part = lambda stack: stack.expand(len(stack), *x.value.shape).index_fill(dim % x.value.dim() + 1, index, 0)  # noqa: E731
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


SHAPE_ONLY = set(overloads("view _unsafe_view reshape _reshape_alias view_copy"))
MOVES_AXES = {aten.permute.default, aten.transpose.int, aten.unsqueeze.default}
"""Operations that do not look at elements: axes of size one may stay."""
NEW_AXIS = {aten.unsqueeze.default}

register(
    "linear",
    "neg clone alias _to_copy lift_fresh positive _conj _conj_physical conj_physical real imag",
    elementwise_linear,
)
register("linear", "resolve_conj resolve_neg _neg_view contiguous view_as_complex", elementwise_linear)
register("linear", "view_as_real", real_and_imaginary)
register("linear", "deg2rad rad2deg", elementwise_linear)
register(
    "linear",
    """sum.dim_IntList mean.dim nansum select.int slice.Tensor unsqueeze transpose.int
    permute flip cumsum split.Tensor split_with_sizes unbind.int unsafe_split.Tensor unsafe_split_with_sizes
    _fft_c2c index_select diff""",
    along_axes,
)
register("linear", "view _unsafe_view reshape _reshape_alias view_copy", reshaped)
register("linear", "expand", expanded)
register("linear", "squeeze.default squeeze.dim squeeze.dims", squeezed)
register("linear", "cat", concatenated)
register("linear", "add.Tensor sub.Tensor add.Scalar sub.Scalar rsub.Tensor rsub.Scalar", sums)
register("linear", "where.self", chosen)
register("linear", "constant_pad_nd", padded)
register("linear", "index_fill.int_Scalar", filled)
register(
    "linear",
    """t roll tril triu diagonal unfold repeat trace diag_embed copy slice_scatter select_scatter diagonal_scatter
    as_strided_scatter _fft_r2c _fft_c2r embedding take index.Tensor _unsafe_index.Tensor gather index_put
    _unsafe_index_put scatter.src scatter_add index_add index_copy masked_scatter masked_select put rot90
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d
    im2col col2im pixel_shuffle pixel_unshuffle channel_shuffle avg_pool1d avg_pool2d avg_pool3d
    _adaptive_avg_pool2d _adaptive_avg_pool3d
    upsample_nearest1d.default upsample_nearest2d.default upsample_nearest3d.default upsample_linear1d.default
    upsample_bilinear2d.default upsample_trilinear3d.default upsample_bicubic2d.default
    _upsample_nearest_exact1d.default _upsample_nearest_exact2d.default _upsample_nearest_exact3d.default
    _upsample_bilinear2d_aa.default _upsample_bicubic2d_aa.default view_as_real_copy view_as_complex_copy
    select_copy.int slice_copy.Tensor unsqueeze_copy permute_copy transpose_copy.int expand_copy t_copy
    squeeze_copy unfold_copy diagonal_copy alias_copy detach_copy unbind_copy.int split_copy.Tensor
    split_with_sizes_copy segment_reduce _reshape_copy""".replace("segment_reduce", "").replace("detach_copy", ""),
    by_vmap,
)
for _overload, _along in ((aten.sum.default, torch.sum), (aten.mean.default, torch.mean)):
    _all = lambda x, dtype=None, along=_along: along(x, tuple(range(x.dim())), dtype=dtype)  # noqa: E731
    RECORDS[_overload] = RECORDS[aten.cat.default]._replace(rule=_all, takes_call=False)
for _overload in (aten.stack.default,):
    RECORDS[_overload] = RECORDS[aten.cat.default]._replace(rule=stacked, takes_call=False)
for _overload in (aten.masked_fill.Scalar, aten.masked_fill.Tensor):
    RECORDS[_overload] = RECORDS[aten.cat.default]._replace(rule=masked_fill, takes_call=False)
register("linear", "as_strided as_strided_copy.default", strided)

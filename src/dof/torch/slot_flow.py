"""What becomes of the axis of particles in an operation, and where all directions are written out instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from dof.torch.operation_call import Call
from dof.torch.registry import Record, aten
from dof.torch.rules.shapes import SHAPE_ONLY, axis_groups
from dof.torch.slots import Slots, placed
from dof.torch.triple import Triple


def with_slots(call: Call, record: Record) -> tuple[Call, Record]:
    """The call and the record to use if triples have slots: they are kept, placed by a sum, or written out."""
    slots = {t.slots and t.slots.axis for t in call.triples}
    if len(slots) == 1 and record.takes_call and call.values[0].numel():
        (axis,) = slots
        if call.func in SUMS and axis in _summed(call):
            return call, Record("linear", _placed_sum)
        new = _axis_after(call, axis)
        if new is not None:
            call.keep_slots(Slots(new, call.triples[0].form))
            return call, record
    return call.along_all_directions(), record


SUMS = {aten.sum.dim_IntList, aten.mean.dim}
SAME_AXES = {aten.alias.default, aten._to_copy.default, aten.detach.default, aten.expand.default}


def _axis_after(call: Call, axis: int) -> int | None:
    """The axis of particles of the result, counted from the end; None if the operation may mix particles."""
    value, func = call.triples[0].value, call.func
    if torch.Tag.pointwise in func.tags or func in SAME_AXES:
        return axis
    if func in SHAPE_ONLY:
        return _after_reshape(value.shape, call(value.detach()).shape, axis)
    if func in (aten.bmm.default, aten.mm.default):
        # A product with a constant mixes only the axis that it sums over.
        contracted = -1 if call.is_operand(call.args[0]) else -2
        return axis if len(call.triples) == 1 and axis != contracted else None
    place, ndim = axis + value.dim(), value.dim()
    if func is aten.unsqueeze.default:
        return axis - (place < call.argument("dim") % (ndim + 1))
    if func in (aten.transpose.int, aten.permute.default):
        return _order(call, ndim).index(place) - ndim
    if func in (aten.slice.Tensor, aten.select.int):
        dim = call.argument("dim", 0) % ndim - ndim
        return None if dim == axis else axis + (func is aten.select.int and dim > axis)
    if func in SUMS or func in (aten.squeeze.dim, aten.squeeze.dims):
        dims = _summed(call)
        stays = func in SUMS and call.argument("keepdim", False)
        gone = [] if stays else [d for d in dims if d > axis and (func in SUMS or value.shape[d] == 1)]
        return axis + len(gone)
    return None


def _after_reshape(old: Sequence[int], new: Sequence[int], axis: int) -> int | None:
    place = axis + len(old)
    ((before, after),) = [group for group in axis_groups(old, new) if place in group[0]]
    long = [a for a in after if new[a] != 1]
    is_alone = all(old[a] == 1 for a in before if a != place) and len(long) == 1
    return long[0] - len(new) if is_alone else None


def _order(call: Call, ndim: int) -> list[int]:
    if call.func is aten.permute.default:
        return [d % ndim for d in call.argument("dims")]
    order = list(range(ndim))
    i, j = call.argument("dim0") % ndim, call.argument("dim1") % ndim
    order[i], order[j] = j, i
    return order


def _summed(call: Call) -> list[int]:
    """The axes that the argument `dim` names, counted from the end."""
    ndim, dims = call.triples[0].value.dim(), call.argument("dim")
    given = range(ndim) if dims is None or dims == [] else dims if isinstance(dims, (list, tuple)) else [dims]
    return [d % ndim - ndim for d in given]


def _placed_sum(call: Call) -> Any:
    """A sum or mean over axes with that of the particles: tangents are placed, then summed over the other axes."""
    (x,) = call.triples
    axis, dtype = x.slots.axis, call.argument("dtype")
    others, keepdim = [d for d in _summed(call) if d != axis], call.argument("keepdim", False)
    m = x.value.shape[axis]
    value, applied = x.value.sum(axis), None if x.applied is None else x.full_applied().sum(axis)
    inner = Triple(value, placed(x.full_tangents(), axis), applied, x.run)
    inner = inner / m if call.func is aten.mean.dim else inner
    # Axes before the one that is gone have moved by one.
    rest = [d + 1 if d < axis else d for d in others]
    result = call.func(inner, rest, False, dtype=dtype) if rest else inner if dtype is None else inner.to(dtype)
    for d in sorted(d % x.value.dim() for d in _summed(call)) if keepdim else ():
        result = result.unsqueeze(d)
    return result

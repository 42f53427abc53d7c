"""Sums, means, slices, splits, flips and moves along numbered axes: on stacks the numbers are larger by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dof.torch.operation_call import Call, map_part
from dof.torch.registry import FUNCTIONS, RECORDS, Record, aten, register
from dof.torch.rules.linear import by_vmap, results

DIMENSIONS = ("dim", "dim0", "dim1", "dim2", "dims", "dimension")
"""What aten calls arguments that number the axes of an operand."""
MOVES_AXES = {aten.permute.default, aten.transpose.int, aten.unsqueeze.default}
"""Operations that do not look at elements: axes of size one may stay."""
NEW_AXIS = {aten.unsqueeze.default}


def along_axes(call: Call) -> Any:
    """Operations along numbered axes: on stacks the numbers are larger by one."""
    (x,) = call.triples
    if not x.value.dim():  # PyTorch takes a number for a vector of one element here
        return by_vmap(call)
    value = call(*call.values)
    shifted, axes = _shifted(call, x.value.dim())
    part = lambda stack: shifted(full_along(stack, x.value, axes))  # noqa: E731
    return results(call, value, map_part(part, x.tangents), map_part(part, x.applied))


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
        if given is None or (given == [] and call.func is not aten.flip.default):  # flip takes no axis for none
            given = list(range(ndim))
        if name in kwargs or names.index(name) >= len(args):
            kwargs[name] = shift(given)
        else:
            args[names.index(name)] = shift(given)
    return lambda stack: call.func(stack, *args[1:], **kwargs), [] if call.func in MOVES_AXES else axes


def full_along(stack: Tensor, value: Tensor, axes: Sequence[int]) -> Tensor:
    """A stack with these axes of the value written out where it has size one there."""
    shape = list(stack.shape)
    for axis in axes:
        shape[axis + 1] = value.shape[axis]
    return stack.expand(shape)


def diff(x: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """`torch.diff`: differences of neighbours along an axis, n times."""
    x = torch.cat([part for part in (prepend, x, append) if part is not None], dim) if n else x
    for _ in range(min(n, x.shape[dim])):
        size = x.shape[dim]
        x = x.narrow(dim, 1, size - 1) - x.narrow(dim, 0, size - 1)
    return x


register(
    "linear",
    """sum.dim_IntList mean.dim select.int slice.Tensor unsqueeze transpose.int
    permute flip cumsum split.Tensor split_with_sizes unbind.int unsafe_split.Tensor unsafe_split_with_sizes diff""",
    along_axes,
)
register("linear", "t roll rot90 unfold", by_vmap)
for _overload, _along in ((aten.sum.default, torch.sum), (aten.mean.default, torch.mean)):
    _all = lambda x, dtype=None, along=_along: along(x, tuple(range(x.dim())), dtype=dtype)  # noqa: E731
    RECORDS[_overload] = Record("linear", _all, takes_call=False)
FUNCTIONS |= dict.fromkeys((torch.diff, torch.Tensor.diff), diff)

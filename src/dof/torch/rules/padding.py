"""Padding: with a number, by reflection, by repetition of the border, and circular."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.operation_call import Call, map_part
from dof.torch.registry import FUNCTIONS, register
from dof.torch.rules.linear import by_vmap
from dof.torch.rules.sums_and_slices_along_axes import full_along


def padded(call: Call) -> Any:
    """Padding with a number, which has no derivatives."""
    (x,), value, pad = call.triples, call(*call.values), call.argument("pad")
    axes = [x.value.dim() - 1 - n for n in range(len(pad) // 2)]
    part = lambda stack: call.func(full_along(stack, x.value, axes), pad)  # noqa: E731
    return call.triple(value, map_part(part, x.tangents), map_part(part, x.applied))


def circular_padding(x: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """`torch.nn.functional.pad`, with circular padding by concatenation."""
    if mode != "circular" or min(pad) < 0:
        return torch.nn.functional.pad(x, pad, mode, value)
    for n in range(len(pad) // 2):
        before, after, axis = pad[2 * n], pad[2 * n + 1], x.dim() - 1 - n
        size = x.shape[axis]
        x = torch.cat([x.narrow(axis, size - before, before), x, x.narrow(axis, 0, after)], axis)
    return x


register("linear", "constant_pad_nd", padded)
register("linear", "reflection_pad1d reflection_pad2d reflection_pad3d", by_vmap)
register("linear", "replication_pad1d replication_pad2d replication_pad3d", by_vmap)
FUNCTIONS[torch.nn.functional.pad] = circular_padding

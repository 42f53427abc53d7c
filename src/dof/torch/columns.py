"""Value, tangents and applied of a triple in one tensor, its columns (1 + r + c, *s).

A dense layer is one matrix product over all columns, and an elementwise function a few kernels without temporaries,
with a backward pass written by hand. Everything else reads the three parts, which are views of the columns.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch import compat
from dof.torch.triple import Triple


def columns_of(x: Triple) -> Tensor | None:
    """The columns of a triple that has them or can be joined to them; None where the three parts are kept apart.

    Parts are not joined where one of them is zero, or of size one along an axis, because columns would be larger.
    """
    if x.columns is None:
        value, g, s = x.parts
        if g is None or s is None or not g.shape[1:] == s.shape[1:] == value.shape or not can_have_columns(x):
            return None
        x.columns = torch.cat([value[None], g, s])
    return x.columns if x.form.is_known and can_fuse(x.columns) else None


def can_have_columns(x: Triple) -> bool:
    """Whether functions of a triple may have columns: there are tangents, with a known form, and all is of one dtype."""
    value, g, s = x.parts
    if g is None or not x.form.is_known or not can_fuse(value):
        return False
    return g.dtype == value.dtype and (s is None or s.dtype == value.dtype)


def can_fuse(value: Any) -> bool:
    """Whether hand-written backward passes may be used.

    Not for complex numbers; not for tensors of other classes, as triples of an outer run; and not while a graph is
    traced or compiled, where the compiler fuses and differentiates single operations.
    """
    is_plain = type(value) in (torch.Tensor, torch.nn.Parameter) and value.is_floating_point() and value.dim() > 0
    return is_plain and not torch.is_autocast_enabled(value.device.type) and not compat.operations_are_watched()

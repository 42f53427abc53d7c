"""Whether triples take the way of fused rules: fewer operations, with backward passes written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from dof.torch import compat
from dof.torch.triple import Triple


def can_fuse(x: Triple, *constants: Any) -> bool:
    """Whether hand-written backward passes may be used for a triple that meets these constants, tensors or None.

    Only for a form that is known, and for plain tensors of one floating dtype, not triples of an outer run; and not
    while a graph is traced or compiled, where the compiler fuses and differentiates single operations.
    """
    parts = [part for part in (x.value, x.tangents, x.applied, *constants) if part is not None]
    is_plain = all(type(part) in (torch.Tensor, torch.nn.Parameter) and part.dtype == x.dtype for part in parts)
    if not is_plain or not x.form.is_known or not x.is_floating_point() or x.dim() == 0:
        return False
    return not torch.is_autocast_enabled(x.device.type) and not compat.operations_are_watched()


NARROW = 16
"""Shorter last axes are those of outputs: parts stored together would keep each other's memory alive. Not tuned."""


def is_wide(shape: Sequence[int]) -> bool:
    """Whether the parts of a value of this shape are stored together, so that a dense layer is one product."""
    return len(shape) > 1 and shape[-1] >= NARROW


def can_write(*operands: Any) -> bool:
    """Whether results of these tensors may be written into others: not where they are differentiated or watched."""
    if torch.is_grad_enabled() or compat.operations_are_watched():
        return False
    return not any(operand is not None and compat.is_batched(operand) for operand in operands)

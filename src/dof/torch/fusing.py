"""Whether triples take the way of fused rules: fewer operations, with backward passes written by hand."""

from __future__ import annotations

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


def can_write(*operands: Any) -> bool:
    """Whether results of these tensors may be written into others: not where they are differentiated or watched."""
    is_plain = not any(compat.is_batched(operand) for operand in operands if operand is not None)
    return is_plain and not torch.is_grad_enabled() and not compat.operations_are_watched()

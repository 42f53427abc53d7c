"""Whether triples take the way of fused rules: fewer operations, with backward passes written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from dof.torch import torch_compat
from dof.torch.triple import Triple

LEAST = 2**20
"""Bytes of a triple from which on fused rules are used. They save memory traffic, and their calls cost more: a training
step of a network with layers of 64 and three parts took 0.6 of the time by single operations with 64 points, 0.8 to 0.9
with 1024 (0.8 MB); 1.0 and 1.1 with 2048, 1.1 and 1.3 with 8192 (on one core and on two). Their memory is used again
(`buffers.py`), that of single operations leaves gaps: in blocks of 16 points (1.1 MB) a step of the paper's MLP took
25 MB by fused rules and 38 by single operations, in the same time within 3 %."""


def can_fuse(x: Triple, *constants: Any) -> bool:
    """Whether hand-written backward passes are used for a triple that meets these constants, tensors or None.

    Only for large triples, for a form that is known, and for plain tensors of one floating dtype, not triples of an
    outer run; and not while a graph is traced or compiled, where the compiler fuses and differentiates single
    operations.
    """
    parts = [part for part in x.parts if part is not None]
    if sum(part.numel() * part.element_size() for part in parts) < LEAST:
        return False
    given = [constant for constant in constants if constant is not None]
    is_plain = all(type(p) in (torch.Tensor, torch.nn.Parameter) and p.dtype == x.dtype for p in [*parts, *given])
    if not is_plain or not x.form.is_known or not x.is_floating_point() or x.dim() == 0:
        return False
    return not torch.is_autocast_enabled(x.device.type) and not torch_compat.operations_are_watched()


NARROW = 16
"""Shorter last axes are those of outputs: parts stored together would keep each other's memory alive. Not tuned."""


def is_wide(shape: Sequence[int]) -> bool:
    """Whether the parts of a value of this shape are stored together, so that a dense layer is one product."""
    return len(shape) > 1 and shape[-1] >= NARROW


def can_write(*operands: Any) -> bool:
    """Whether results of these tensors may be written into others: not where they are differentiated or watched."""
    if torch.is_grad_enabled() or torch_compat.operations_are_watched():
        return False
    return not any(operand is not None and torch_compat.is_batched(operand) for operand in operands)

"""From the stack of columns of a triple, (K − 1, *s), to columns by number and back.

How columns multiply is in `symbols/column_algebra.py`.
"""

from __future__ import annotations

import torch
from torch import Tensor

from dof.symbols.column_algebra import Columns
from dof.symbols.span import Span


def by_number(stack: Tensor | None) -> Columns:
    """The columns by number, from 1 on; none for None."""
    return {} if stack is None else dict(enumerate(stack.unbind(0), 1))


def stacked(span: Span, value: Tensor, columns: Columns) -> Tensor | None:
    """Columns (K − 1, *s) in the shape and dtype of the value, zero where there is none; None if there are none."""
    if not columns:
        return None
    zero = None if len(columns) == len(span) - 1 else torch.zeros_like(value)
    each = [columns.get(n, zero) for n in range(1, len(span))]
    return torch.stack([column.to(value.dtype).expand(value.shape) for column in each])  # pyright: ignore

"""From the stack of columns of a triple, (K − 1, *s), to columns by number and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.symbols.algebra import Columns
from dof.symbols.span import Span

Product = Callable[[Tensor, Tensor], Tensor]


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


def products_of_columns(span: Span, g: Tensor, h: Tensor, product: Product) -> Columns:
    """The columns of B(g, h) for a bilinear B of two nilpotent parts: Σ C_i^jk B(g_j, h_k)."""
    x, y = by_number(g), by_number(h)
    found: dict[int, Any] = {}
    for i, pairs in enumerate(span.pairs):
        for j, k, weight in pairs:
            term = product(x[j], y[k]) if j == k else product(x[j], y[k]) + product(x[k], y[j])
            term = term if weight == 1 else weight * term
            found[i] = term if i not in found else found[i] + term
    return found

"""Dense layers on the columns of a triple, with a backward pass written by hand."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch.buffers import empty


class DenseColumns(torch.autograd.Function):
    """X Wᵀ for all columns X (1 + r + c, …, n), with the bias added to the first, the value."""

    @staticmethod
    def forward(ctx: Any, columns: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """One matrix product for all columns."""
        ctx.save_for_backward(columns, weight)
        result = _product(columns, weight.mT)
        if bias is not None:
            result[0].add_(bias)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        """Differentiable itself, since it is made of matrix products."""
        (grad,) = grads
        columns, weight = ctx.saved_tensors
        needs_columns, needs_weight, needs_bias = ctx.needs_input_grad
        return (
            _product(grad, weight) if needs_columns else None,
            grad.flatten(0, -2).mT @ columns.flatten(0, -2) if needs_weight else None,
            grad[0].flatten(0, -2).sum(0) if needs_bias else None,
        )


def _product(columns: Tensor, matrix: Tensor) -> Tensor:
    """X M for all columns X."""
    if torch.is_grad_enabled():
        return columns @ matrix
    result = empty((*columns.shape[:-1], matrix.shape[-1]), columns)
    return torch.matmul(columns, matrix, out=result)

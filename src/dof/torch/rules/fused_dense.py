"""A dense layer on all parts of a triple, with a backward pass written by hand."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dof.torch.buffers import empty_like
from dof.torch.fusing import can_write


class FusedDense(torch.autograd.Function):
    """z Wᵀ + bias, g Wᵀ, s Wᵀ, for parts (…, n) of which some may be None."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor | None, *parts: Tensor | None) -> Any:
        """A matrix product for each part; parts without gradients stay so on the way back."""
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(weight, *parts)
        results = [None if part is None else _product(part, weight.mT) for part in parts]
        if bias is not None and results[0] is not None:
            results[0].add_(bias)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        """Differentiable itself, since it is made of matrix products."""
        weight, *parts = ctx.saved_tensors
        needs_weight, needs_bias, *needs_part = ctx.needs_input_grad
        pairs = [(grad, part) for grad, part in zip(grads, parts, strict=True) if grad is not None]
        return (
            _sum_of_products(pairs) if needs_weight and pairs else None,
            _rows(grads[0]).sum(0) if needs_bias and grads[0] is not None else None,
            *(
                _product(grad, weight) if is_needed and grad is not None else None
                for grad, is_needed in zip(grads, needs_part, strict=True)
            ),
        )


def _product(part: Tensor, matrix: Tensor) -> Tensor:
    """X M over the last axis of X."""
    if part.dim() == 1 or not can_write(part):
        return part @ matrix
    result = empty_like(part.new_empty(()).expand(*part.shape[:-1], matrix.shape[-1]))
    return torch.matmul(part, matrix, out=result)


def _sum_of_products(pairs: list[Any]) -> Tensor:
    """Σ Gᵀ X over gradients G and parts X, the gradient of the weight."""
    (grad, part), *others = pairs
    total = _rows(grad).mT @ _rows(part)
    for grad, part in others:
        total = torch.addmm(total, _rows(grad).mT, _rows(part))
    return total


def _rows(stack: Tensor) -> Tensor:
    return stack.reshape(-1, stack.shape[-1])

"""Dense layers and elementwise functions on the columns of a triple, with backward passes written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from dof.torch.quadratic_form import QuadraticForm

Derivatives = Callable[[Tensor], tuple[Tensor, Tensor, Tensor, Callable[[], Tensor]]]
"""z ↦ (f(z), f'(z), f''(z), a function that returns f'''(z))."""


class DenseColumns(torch.autograd.Function):
    """X Wᵀ for all columns X (1 + r + c, …, n), with the bias added to the first, the value."""

    @staticmethod
    def forward(ctx: Any, columns: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """One matrix product for all columns."""
        ctx.save_for_backward(columns, weight)
        result = torch.nn.functional.linear(columns, weight)
        if bias is not None:
            result[0] += bias
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        """Differentiable itself, since it is made of matrix products."""
        (grad,) = grads
        columns, weight = ctx.saved_tensors
        needs_columns, needs_weight, needs_bias = ctx.needs_input_grad
        return (
            grad @ weight if needs_columns else None,
            grad.flatten(0, -2).mT @ columns.flatten(0, -2) if needs_weight else None,
            grad[0].flatten(0, -2).sum(0) if needs_bias else None,
        )


class ElementwiseColumns(torch.autograd.Function):
    """An elementwise function f of a value z with tangents g and applied s.

    y = f(z), g' = f' g, s' = f' s + f'' Σ_k q_k g_k². With the gradients Y, G, S of these,

        ∂z = f' Y + f'' (Σ_k G_k g_k + Σ_c S_c s_c) + f''' Σ_c S_c Σ_k q_ck g_k²
        ∂g = f' G + 2 f'' (Σ_c S_c q_ck) g
        ∂s = f' S
    """

    @staticmethod
    def forward(ctx: Any, columns: Tensor, f: Derivatives, form: QuadraticForm) -> Tensor:
        """All columns times f', and what is added to value and applied."""
        y, first, second, third = f(columns[0])
        sums = form.squares(columns[1 : 1 + form.directions])
        result = columns * first
        result[0] = y
        _add_to(result[1 + form.directions :], second, sums)
        if ctx.needs_input_grad[0]:
            ctx.f, ctx.form = f, form
            ctx.save_for_backward(columns, first, second, third(), *sums)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        """By the formulas above; by single operations where derivatives of it are asked for."""
        columns, first, second, third, *sums = ctx.saved_tensors
        if torch.is_grad_enabled():
            return _differentiable_backward(columns, ctx.f, ctx.form, grads[0]), None, None
        return _backward(columns, grads[0], (first, second, third), sums, ctx.form), None, None


def _add_to(applied: Tensor, second: Tensor, sums: list[Tensor | None]) -> None:
    for channel, total in enumerate(sums):
        if total is not None:
            applied[channel].addcmul_(second, total)


def _backward(columns: Tensor, grad: Tensor, f: tuple[Tensor, ...], sums: list[Any], form: QuadraticForm) -> Tensor:
    first, second, third = f
    last = 1 + form.directions
    result = grad * first
    result[0].addcmul_(second, _inner(grad[1:], columns[1:]))
    for channel, total in enumerate(sums):
        if total is not None:
            result[0].addcmul_(third, grad[last + channel] * total)
    bends = [second * grad[last + channel] for channel in range(form.channels)]
    for start, stop, weights in form.runs or ():
        for bend, weight in zip(bends, weights, strict=True):
            if weight:
                result[1 + start : 1 + stop].addcmul_(columns[1 + start : 1 + stop], bend, value=2 * weight)
    return result


def _inner(a: Tensor, b: Tensor) -> Tensor:
    """Σ_k a_k b_k, row by row as in `QuadraticForm.squares`."""
    total = a[0] * b[0]
    for row, other in zip(a[1:], b[1:], strict=True):
        total.addcmul_(row, other)
    return total


def _differentiable_backward(columns: Tensor, f: Derivatives, form: QuadraticForm, grad: Tensor) -> Tensor:
    with torch.enable_grad():
        z, g, s = torch.split(columns, [1, form.directions, form.channels])
        y, first, second, _ = f(z[0])
        result = torch.cat([y[None], first * g, first * s + second * form.contract(g, g)])
        return torch.autograd.grad(result, columns, grad, create_graph=True)[0]

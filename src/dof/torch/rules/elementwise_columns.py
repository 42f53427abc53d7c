"""Elementwise functions that give columns, block by block of rows, with a backward pass written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from dof.torch.buffers import empty
from dof.torch.quadratic_form import QuadraticForm

Derivatives = Callable[..., tuple[Tensor, Tensor, Tensor, Callable[[], Tensor]]]
"""z, and f(z) where it is known ↦ (f(z), f'(z), f''(z), a function that returns f'''(z))."""

BLOCK = 2**19
"""Bytes of the value in a block, for each thread: the derivatives of f at a block, and the few columns of a PINN, stay in a
cache of 1 MB."""


class ElementwiseColumns(torch.autograd.Function):
    """An elementwise function f of a value z with tangents g and applied s.

    y = f(z), g' = f' g, s' = f' s + f'' Σ_k q_k g_k². With the gradients Y, G, S of these,

        ∂z = f' Y + f'' (Σ_k G_k g_k + Σ_c S_c s_c) + f''' Σ_c S_c Σ_k q_ck g_k²
        ∂g = f' G + 2 f'' (Σ_c S_c q_ck) g
        ∂s = f' S

    Operands are columns, or (z, g, s) where g or s have size one along some axes, or s is None. Results are columns in
    both cases, since f' and f'' vary along all axes.
    """

    @staticmethod
    def forward(ctx: Any, f: Derivatives, form: QuadraticForm, *operands: Tensor | None) -> Tensor:
        """The columns of f; y is kept for the backward pass, which computes the derivatives of f anew."""
        stacks = _stacks(form, operands)
        z = stacks[0][0]
        result = empty((1 + form.directions + form.channels, *z.shape), z)
        kept = empty(z.shape, z) if any(ctx.needs_input_grad) else None
        for rows in _blocks(z):
            y = _propagate(result[:, rows], [_rows(stack, rows) for stack in stacks], f, form)
            if kept is not None:
                kept[rows] = y
        if kept is not None:
            ctx.f, ctx.form = f, form
            ctx.save_for_backward(kept, *operands)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        """By the formulas above; by single operations where derivatives of it are asked for."""
        y, *operands = ctx.saved_tensors
        (grad,), f, form = grads, ctx.f, ctx.form
        if torch.is_grad_enabled():
            return None, None, *_differentiable_backward(f, form, operands, grad)
        stacks = _stacks(form, operands)
        found = [
            _room(operand, grad) if is_needed else None
            for operand, is_needed in zip(operands, ctx.needs_input_grad[2:], strict=True)
        ]
        targets = _stacks(form, found)
        for rows in _blocks(y):
            z, g, s = (_rows(stack, rows) for stack in stacks)
            _pull_back([_rows(t, rows) for t in targets], (g, s), grad[:, rows], f(z[0], y[rows]), form)
        return None, None, *found


def _stacks(form: QuadraticForm, operands: Sequence[Tensor | None]) -> tuple[Any, Any, Any]:
    """z (1, *s), g (r, *s), s (c, *s)."""
    if len(operands) == 1:
        return torch.split(operands[0], [1, form.directions, form.channels])  # pyright: ignore
    z, g, s = operands
    return None if z is None else z[None], g, s


def _blocks(z: Tensor) -> Iterator[slice]:
    """The rows of z, a block at a time; all at once on devices whose caches are not filled by single threads."""
    count = max(len(z), 1)
    size = z.numel() * z.element_size() // count
    step = max(BLOCK * torch.get_num_threads() // max(size, 1), 1) if z.device.type == "cpu" else count
    return (slice(start, start + step) for start in range(0, count, step))


def _rows(stack: Tensor | None, rows: slice) -> Any:
    return stack if stack is None or stack.shape[1] == 1 else stack[:, rows]


def _propagate(result: Tensor, operands: Sequence[Any], f: Derivatives, form: QuadraticForm) -> Tensor:
    """Write f, and the tangents and applied of f, into a block of the result."""
    z, g, s = operands
    value, tangents, applied = form.split(result)
    y, first, second, _ = f(z[0])
    value.copy_(y)
    torch.mul(g, first, out=tangents)
    if s is None:
        applied.zero_()
    else:
        torch.mul(s, first, out=applied)
    for channel, total in enumerate(form.squares(g)):
        if total is not None:
            applied[channel].addcmul_(second, total)
    return y


def _pull_back(targets: Sequence[Any], operands: Any, grad: Tensor, at: Any, form: QuadraticForm) -> None:
    """Write the gradients in a block of z, g and s into the targets, those that are not None."""
    (of_value, of_tangents, of_applied), (g, s), (_, first, second, third) = targets, operands, at
    Y, G, S = form.split(grad)
    if of_value is not None:
        total = torch.mul(Y, first, out=of_value[0])
        total.addcmul_(second, _inner(G, g) if s is None else _inner(G, g).add_(_inner(S, s)))
        for channel, squares in enumerate(form.squares(g)):
            if squares is not None:
                total.addcmul_(third(), S[channel] * squares)
    if of_tangents is not None:
        total = _times(G, first, of_tangents)
        for directions, bend, weight in _bends(S, second, form):
            total[directions].addcmul_(g[directions], bend, value=2 * weight)
        _add_summed(of_tangents, total)
    if of_applied is not None:
        _add_summed(of_applied, _times(S, first, of_applied))


def _room(operand: Tensor | None, grad: Tensor) -> Tensor | None:
    """Room for the gradient of an operand: any entries where it is written, zeros where it is summed up."""
    if operand is None:
        return None
    is_whole = operand.shape[-grad.dim() + 1 :] == grad.shape[1:]
    return empty(operand.shape, operand) if is_whole else torch.zeros_like(operand)


def _times(grad: Tensor, first: Tensor, target: Tensor) -> Tensor:
    return torch.mul(grad, first, out=target) if target.shape == grad.shape else grad * first


def _add_summed(target: Tensor, gradient: Tensor) -> None:
    """Add a gradient to its target, summed over the axes on which this has size one."""
    if gradient is not target:
        target.add_(gradient.sum_to_size(target.shape))


def _bends(S: Tensor, second: Tensor, form: QuadraticForm) -> Iterator[tuple[slice, Tensor, float]]:
    """(directions, f'' S_c, q_c) for each channel and neighbouring directions with the same weight."""
    bends = [second * applied for applied in S]
    for start, stop, weights in form.runs or ():
        for bend, weight in zip(bends, weights, strict=True):
            if weight:
                yield slice(start, stop), bend, weight


def _inner(a: Tensor, b: Tensor) -> Tensor:
    """Σ_k a_k b_k, row by row as in `QuadraticForm.squares`."""
    total = a[0] * b[0]
    for row, other in zip(a[1:], b[1:], strict=True):
        total.addcmul_(row, other)
    return total


def _differentiable_backward(
    f: Derivatives, form: QuadraticForm, operands: Sequence[Tensor | None], grad: Tensor
) -> list[Tensor | None]:
    """The gradients of the operands by single operations."""
    with torch.enable_grad():
        z, g, s = _stacks(form, operands)
        y, first, second, _ = f(z[0])
        bend = second * form.contract(g, g)
        result = torch.cat([y[None], first * g, bend if s is None else first * s + bend])
        needed = [part for part in operands if part is not None and part.requires_grad]
        found = iter(torch.autograd.grad(result, needed, grad, create_graph=True))
        return [next(found) if part is not None and part.requires_grad else None for part in operands]

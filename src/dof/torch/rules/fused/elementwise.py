"""An elementwise function of a triple, block by block of rows, with a backward pass written by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from dof.torch.buffers import empty, empty_like, neighbours
from dof.torch.direction_sums import DirectionSum, lanes, pieces
from dof.torch.fusing import can_write, is_wide
from dof.torch.operation_call import add_parts
from dof.torch.quadratic_form import QuadraticForm
from dof.torch.rules.fused.derivatives import ElementwiseFunction
from dof.torch.rules.fused.pull_back import pull_back, write_sum

Part = Tensor | None

BLOCK = 2**20
"""Bytes of the value in a block, for each thread, so that the derivatives of f at a block stay in the cache. For a
training step with 8192 points and layers of 64, 2¹⁹ to 2²² took the same time on one core, and 2¹⁹ to 2²⁰ on two; with
2¹⁸ the calls of small operations cost 8 % more than the cache gains."""


class FusedElementwise(torch.autograd.Function):
    """y = f(z), g' = f' g, s' = f' s + f'' Σ_k q_k g_k², of a value z with tangents g and applied s.

    g and s may have size one along some axes, and one of them may be None. `pull_back.py` has the gradients.
    """

    @staticmethod
    def forward(ctx: Any, f: ElementwiseFunction, form: QuadraticForm, *parts: Part) -> Any:
        """(y, g', s'); the derivatives of f are computed anew on the way back, the sums over directions are kept."""
        results, squares = _results(parts, form), _squares(parts[1], form)
        for rows in _blocks(results[0]):
            _propagate(_at(rows, results), _at(rows, parts), _rows_of(squares, rows), f, form)
        if any(ctx.needs_input_grad):
            ctx.f, ctx.form = f, form
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(*parts, results[0], squares)
        return tuple(results)

    @staticmethod
    def backward(ctx: Any, *grads: Part) -> Any:
        """By the formulas of `pull_back.py`; by single operations where these are differentiated or watched."""
        *parts, y, squares = ctx.saved_tensors
        if not can_write(*grads):
            return None, None, *_differentiable_backward(ctx.f, ctx.form, parts, grads)
        found = _room(parts, ctx.needs_input_grad[2:], grads)
        for rows in _blocks(y):
            z, g, s = _at(rows, parts)
            at = (ctx.f, z, y[rows], _rows_of(squares, rows))
            pull_back(_at(rows, found), (g, s), _at(rows, grads), at, ctx.form)
        return None, None, *found


def _results(parts: Sequence[Any], form: QuadraticForm) -> list[Part]:
    """Room for y, g' and s': one after the other in memory, or in the order in memory of the operands."""
    z, g, s = parts
    stacks = [(form.channels, s)] if g is None else [(form.directions, g), (form.channels, s)]
    is_plain = all(x is None or x.shape[1:] != z.shape or x.is_contiguous() for x in (g, s)) and z.is_contiguous()
    if is_plain and is_wide(z.shape):
        found = neighbours(z, [z.shape, *((count, *z.shape) for count, _ in stacks)])
    else:
        found = [empty_like(z), *(_like(stack, count, z) for count, stack in stacks)]
    return found if g is not None else [found[0], None, found[1]]


def _like(stack: Part, count: int, z: Tensor) -> Tensor:
    """Room for a stack (count, *s), in the order in memory of the operand if that has all axes."""
    return empty_like(z.expand(count, *z.shape) if stack is None or stack.shape[1:] != z.shape else stack)


def _squares(g: Part, form: QuadraticForm) -> Part:
    """Room for Σ_k q_k g_k² of each channel, of size one along the axes where g is."""
    return None if g is None else empty(g, (form.channels, *g.shape[1:]))


def _room(parts: Sequence[Any], needed: Sequence[bool], grads: Sequence[Part]) -> list[Part]:
    """Room for the gradients: any entries where they are written, zeros where they are summed up over axes."""
    z = parts[0]
    flows = (True, grads[1] is not None or grads[2] is not None, grads[2] is not None)
    asked = [part if need and flow else None for part, need, flow in zip(parts, needed, flows, strict=True)]
    is_whole = [part is None or part.shape[-z.dim() :] == z.shape for part in asked]
    if all(is_whole) and all(part is None or part.is_contiguous() for part in asked):
        found = iter(neighbours(z, [part.shape for part in asked if part is not None]))
        return [None if part is None else next(found) for part in asked]
    return [
        None if part is None else empty_like(part) if whole else torch.zeros_like(part)
        for part, whole in zip(asked, is_whole, strict=True)
    ]


def _blocks(z: Any) -> Iterator[slice]:
    """The rows of z, a block at a time; all at once on other devices, whose caches are not those of threads."""
    count = max(len(z), 1)
    row = max(z.numel() * z.element_size() // count, 1)
    step = max(BLOCK * torch.get_num_threads() // row, 1) if z.device.type == "cpu" else count
    return (slice(start, start + step) for start in range(0, count, step))


def _at(rows: slice, parts: Sequence[Part]) -> list[Any]:
    """The rows of a value and of two stacks."""
    value, *stacks = parts
    is_all = value is None or value.shape[0] <= rows.stop - rows.start
    return [value if is_all else value[rows], *(_rows_of(stack, rows) for stack in stacks)]


def _rows_of(stack: Part, rows: slice) -> Part:
    """The rows of a stack, which may have size one along their axis."""
    return stack if stack is None or stack.shape[1] <= rows.stop - rows.start else stack[:, rows]


def _propagate(results: Sequence[Any], parts: Sequence[Any], room: Any, f: ElementwiseFunction, form: Any) -> None:
    """Write a block of the results, and the sums over directions into `room`."""
    (z, g, s), (value, tangents, applied) = parts, results
    first, second = f.two(z, f.value(z, value))
    sums = [None] * form.channels if g is None else _along_directions(g, first, tangents, room, form)
    for channel, squares in enumerate(sums):
        terms = [] if s is None else [(first, s[channel])]
        write_sum(applied[channel], terms if squares is None else [*terms, (second, squares)])


def _along_directions(g: Tensor, first: Tensor, tangents: Tensor, room: Tensor, form: QuadraticForm) -> list[Part]:
    """Write g' = f' g and return Σ_k q_k g_k² of each channel, of some directions after the other."""
    step = lanes(first, len(g))
    sums = [DirectionSum(target, step) for target in room]
    for run in form.runs or ():
        for here in pieces(run.start, run.stop, step):
            torch.mul(g[here], first, out=tangents[here])
            for total, weight in zip(sums, run.weights, strict=True):
                if weight:
                    total.add(g[here], g[here], weight)
    return [total.total() for total in sums]


def _differentiable_backward(
    f: ElementwiseFunction, form: QuadraticForm, parts: Sequence[Part], grads: Sequence[Part]
) -> list[Part]:
    """The gradients of the parts by single operations."""
    with torch.enable_grad():
        z, g, s = parts
        y = f.value(z)
        first, second = f.two(z, y)
        tangents = None if g is None else first * g
        applied = add_parts([None if s is None else first * s, None if g is None else second * form.contract(g, g)])
        pairs = [(r, d) for r, d in zip((y, tangents, applied), grads, strict=True) if r is not None and d is not None]
        needed = [part for part in parts if part is not None and part.requires_grad]
        outputs, flows = zip(*pairs, strict=True)
        found = iter(torch.autograd.grad(outputs, needed, flows, create_graph=True, allow_unused=True))
        return [next(found) if part is not None and part.requires_grad else None for part in parts]

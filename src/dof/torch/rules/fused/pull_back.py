"""The gradients of y = f(z), g' = f' g, s' = f' s + f'' Σ_k q_k g_k² in a block of z, g and s.

With the gradients Y, G, S of y, g', s', of which some may be zero,

    ∂z = f' Y + f'' (Σ_k G_k g_k + Σ_c S_c s_c) + f''' Σ_c S_c Σ_k q_ck g_k²
    ∂g = f' G + 2 f'' (Σ_c S_c q_ck) g
    ∂s = f' S
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from dof.directions.weight_runs import Run
from dof.torch.buffers import empty, empty_like
from dof.torch.direction_sums import DirectionSum, lanes, pieces
from dof.torch.quadratic_form import QuadraticForm

Part = Tensor | None


def pull_back(found: Sequence[Any], stacks: Any, grads: Sequence[Any], at: Any, form: QuadraticForm) -> None:
    """Write or add the gradients of a block.

    Args:
        found: room for ∂z, ∂g, ∂s; None for those that are not asked for.
        stacks: g and s.
        grads: Y, G, S; None for zero.
        at: f, z, y and Σ_k q_k g_k².
        form: the weights q.
    """
    (of_value, of_tangents, of_applied), (f, z, y, squares), (Y, _, S), g = found, at, grads, stacks[0]
    first, second = f.two(z, y)
    inner = _inner_products(of_tangents, stacks, grads, (first, second), form)
    if of_value is not None:
        terms = [(first, Y), (second, inner)]
        bend = None if S is None or g is None else _weighed_squares(S, squares, form)
        terms += [] if bend is None else [(f.third(z, y, first, second), bend)]
        write_sum(of_value, [(a, b) for a, b in terms if b is not None])
    if of_applied is not None:
        is_whole = of_applied.shape == S.shape
        _add_summed(of_applied, torch.mul(S, first, out=of_applied) if is_whole else S * first)


def _inner_products(target: Part, stacks: Any, grads: Sequence[Any], at: Sequence[Tensor], form: Any) -> Part:
    """Σ_k G_k g_k + Σ_c S_c s_c; on the way, while G and g are in the cache, ∂g is written."""
    (g, s), (_, G, S), first = stacks, grads, at[0]
    step = 1 if g is None else lanes(first, len(g))
    inner = DirectionSum(empty_like(first), step)
    for run in () if g is None else form.runs:
        bend = None if S is None or target is None else _bend(run, at[1], S)
        for here in pieces(run.start, run.stop, step):
            if G is not None:
                inner.add(G[here], g[here])
            if target is not None:
                _pull_back_tangents(target[here], g[here], None if G is None else G[here], first, bend)
    if S is not None and s is not None:
        for n in range(len(S)):
            inner.add(S[n : n + 1], s[n : n + 1])
    return inner.total()


def _pull_back_tangents(target: Tensor, g: Tensor, G: Part, first: Tensor, bend: Part) -> None:
    """∂g of some directions; g, and with it the target, may have size one along some axes."""
    room = target if target.shape[1:] == first.shape else empty(first, (g.shape[0], *first.shape))
    write_sum(room, [(a, b) for a, b in ((G, first), (g, bend)) if a is not None and b is not None])
    _add_summed(target, room)


def _bend(run: Run, second: Tensor, S: Tensor) -> Part:
    """2 f'' Σ_c S_c q_c for neighbouring directions; None if they have no weight."""
    total = DirectionSum(empty_like(second), 1)
    for channel, weight in enumerate(run.weights):
        if weight:
            total.add(S[channel : channel + 1], second, 2 * weight)
    return total.total()


def _weighed_squares(S: Tensor, squares: Tensor, form: QuadraticForm) -> Part:
    """Σ_c S_c Σ_k q_ck g_k²."""
    total = DirectionSum(empty_like(S[0]), 1)
    for channel in filter(form.has_directions, range(form.channels)):
        total.add(S[channel : channel + 1], squares[channel])
    return total.total()


def write_sum(target: Tensor, products: Sequence[tuple[Tensor, Tensor]]) -> None:
    """The sum of products a b, written into a tensor."""
    if not products:
        target.zero_()
    for n, (a, b) in enumerate(products):
        if n:
            target.addcmul_(a, b)
        else:
            torch.mul(a, b, out=target)


def _add_summed(target: Tensor, gradient: Tensor) -> None:
    """Add a gradient that is not in its place yet, summed over the axes on which the target has size one."""
    if gradient is not target:
        target.add_(gradient.sum_to_size(target.shape))

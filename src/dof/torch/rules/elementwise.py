"""Elementwise operations y = f(x₁, x₂, …).

    g' = Σ_i f_i g_i
    s' = Σ_i f_i s_i + Σ_ij f_ij Σ_kl q_kl g_ik g_jl

with the derivatives f_i and f_ij of one element, written by hand for common operations, else by two nested jvps along
ones.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.func import jvp

from dof.torch.call import Call, add_parts
from dof.torch.fusing import can_fuse
from dof.torch.jets.column_form import has_columns
from dof.torch.registry import aten
from dof.torch.rules import elementwise_of_columns as of_columns
from dof.torch.rules.decomposition import decomposed
from dof.torch.rules.fused_derivatives import ElementwiseFunction
from dof.torch.rules.fused_elementwise import FusedElementwise
from dof.torch.rules.general import require_derivatives
from dof.torch.rules.handwritten_derivatives import BY_HAND, THIRD
from dof.torch.rules.shapes import lifted
from dof.torch.triple import Triple, is_smooth

Firsts = list[Any]
Seconds = dict[tuple[int, int], Any]


def elementwise(call: Call) -> Any:
    """The triple of an elementwise operation."""
    if _is_fused(call):
        return call.triple(*FusedElementwise.apply(ElementwiseFunction(call), call.form, *call.triples[0].parts))
    value = call(*call.values)
    if not isinstance(value, torch.Tensor):  # frexp has two results
        return decomposed(call)
    if not is_smooth(value):
        return value
    if has_columns(call.form) and of_columns.is_by_hand(call):
        return of_columns.by_hand(call, value)
    if not has_columns(call.form) and call.func in BY_HAND and len(call.triples) == 1:
        first, second = BY_HAND[call.func](call.values[0], value, call)
        return compose(call, value, [first], {(0, 0): second})
    # jvp does not take triples of an outer run.
    if any(isinstance(leaf, Triple) for leaf in call.values):
        return decomposed(call)
    require_derivatives(call)
    try:
        if has_columns(call.form):
            return of_columns.by_nested_jvp(call, value)
        return compose(call, value, *_by_nested_jvp(call))
    except (NotImplementedError, RuntimeError):  # some operations have no forward derivatives in PyTorch
        return decomposed(call)


def _is_fused(call: Call) -> bool:
    """Whether the backward pass written by hand may be used, and has all derivatives that it needs."""
    is_tanh_gelu = call.func is aten.gelu.default and call.argument("approximate", "none") != "none"
    return call.func in THIRD and not is_tanh_gelu and can_fuse(call.triples[0])


def compose(call: Call, value: Tensor, firsts: Firsts, seconds: Seconds) -> Any:
    """The triple of a result from the derivatives in its operands; None stands for zero."""
    g = [None if t.tangents is None else lifted(t.tangents, t.value, value) for t in call.triples]
    s = [None if t.applied is None else lifted(t.applied, t.value, value) for t in call.triples]
    tangents = add_parts(f * gi for f, gi in zip(firsts, g, strict=True) if f is not None and gi is not None)
    applied = [f * si for f, si in zip(firsts, s, strict=True) if f is not None and si is not None]
    for (i, j), f in seconds.items():
        if f is not None and g[i] is not None and g[j] is not None:
            applied.append(f * _pair_sum(call, g[i], g[j], i == j))
    return call.triple(value, tangents, add_parts(applied))


def _pair_sum(call: Call, g: Any, h: Any, is_square: bool) -> Tensor:
    total = call.form.contract(g, g if is_square else h)
    return total if is_square else 2 * total  # f_ij and f_ji


def _by_nested_jvp(call: Call) -> tuple[Firsts, Seconds]:
    """First and second derivatives of one element in its operands."""
    values = tuple(call.values)
    count = len(values)
    unit = lambda i: tuple(torch.ones_like(v) if i == n else torch.zeros_like(v) for n, v in enumerate(values))  # noqa: E731
    along = lambda i: lambda *v: jvp(call, v, unit(i))[1]  # noqa: E731
    pairs = [(i, j) for i in range(count) for j in range(i, count)]
    seconds = {(i, j): jvp(along(i), values, unit(j))[1] for i, j in pairs}
    return [along(i)(*values) for i in range(count)], seconds

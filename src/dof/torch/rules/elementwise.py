"""Elementwise operations y = f(x₁, x₂, …).

    g' = Σ_i f_i g_i
    s' = Σ_i f_i s_i + Σ_ij f_ij Σ_kl q_kl g_ik g_jl

with the derivatives f_i and f_ij of one element, written by hand for common operations, else by two nested jvps along
ones, or by two nested vjps where PyTorch has no forward derivatives.

An operation that PyTorch calls pointwise takes this rule without being registered. `abs`, `angle` and `sgn`, which are
others for complex numbers than for real ones, are in `complex_numbers.py`.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.func import vjp

from dof.torch.fusing import can_fuse
from dof.torch.jets.column_form import has_columns
from dof.torch.operation_call import Call
from dof.torch.registry import aten, register, written_out
from dof.torch.rules import elementwise_of_columns as of_columns
from dof.torch.rules.chain_rule import compose, derivative, of_derivatives, of_elements, pairs
from dof.torch.rules.decomposition import decomposed
from dof.torch.rules.elementwise_by_hand import BY_HAND, THIRD
from dof.torch.rules.fused.derivatives import ElementwiseFunction
from dof.torch.rules.fused.elementwise import FusedElementwise
from dof.torch.rules.general import promoted, require_derivatives
from dof.torch.triple import Triple, is_smooth


def elementwise(call: Call) -> Any:
    """The triple of an elementwise operation."""
    if _is_fused(call):
        return call.triple(*FusedElementwise.apply(ElementwiseFunction(call), call.form, *call.triples[0].parts))
    value = call(*call.values)
    if not isinstance(value, torch.Tensor):  # frexp has two results
        return decomposed(call)
    if not is_smooth(value):
        return value
    if has_columns(call.form):
        return _columns(call, value)
    if call.func in BY_HAND and len(call.triples) == 1:
        first, second = BY_HAND[call.func](call.values[0], value, call)
        return compose(call, value, [first], {(0, 0): second})
    require_derivatives(call)
    for composed in (_by_nested_jvp, _by_nested_vjp):
        try:
            return composed(call, value)
        except (NotImplementedError, RuntimeError):  # some operations have no forward derivatives in PyTorch
            continue
    return decomposed(call)


def _columns(call: Call, value: Tensor) -> Any:
    """The same for an operator of an order above two; by reverse differentiation there are two derivatives at most."""
    if of_columns.is_by_hand(call):
        return of_columns.by_hand(call, value)
    require_derivatives(call)
    try:
        return _by_nested_jvp(call, value)
    except (NotImplementedError, RuntimeError):
        return decomposed(call)


def _is_fused(call: Call) -> bool:
    """Whether the backward pass written by hand may be used, and has all derivatives that it needs."""
    is_tanh_gelu = call.func is aten.gelu.default and call.argument("approximate", "none") != "none"
    return call.func in THIRD and not is_tanh_gelu and can_fuse(call.triples[0])


def powers(call: Call) -> Any:
    """x ** y; of a constant x the derivatives are log x · x ** y and log² x · x ** y, zero for x = 0."""
    base, _ = call.args
    if call.is_operand(base) or len(call.triples) > 1 or has_columns(call.form):
        return elementwise(call)
    value = call(*call.values)
    base = torch.as_tensor(base, dtype=value.dtype, device=value.device)
    # PyTorch's own gradient of log 0 · 0 ** y is NaN.
    slope = torch.log(torch.where(base == 0, 1.0, base)).expand(value.shape)
    return compose(call, value, [slope * value], {(0, 0): slope * slope * value})


def _by_nested_jvp(call: Call, value: Tensor) -> Any:
    """By derivatives of one element in its operands, by forward differentiation."""
    function, operands, own = call.function_of_triples()
    operands = promoted(operands, value)
    return of_derivatives(call, value, lambda *i: of_elements(derivative(function, [own[n] for n in i]), operands))


def _by_nested_vjp(call: Call, value: Tensor) -> Any:
    """By first and second derivatives, by reverse differentiation, as for `torch.special.zeta`."""
    if value.is_complex() or isinstance(value, Triple):
        raise NotImplementedError
    values = tuple(v.expand(value.shape) for v in call.values)
    gradients = lambda f, v: vjp(f, *v)[1](torch.ones_like(value))  # noqa: E731
    rows = [gradients(lambda *v, i=i: gradients(call, v)[i], values) for i in range(len(values))]
    return compose(call, value, list(gradients(call, values)), {(i, j): rows[i][j] for i, j in pairs(len(values))})


@written_out("nextafter.default")
def nextafter(x: Any, y: Any) -> Any:
    """The neighbour of x on the side of y, or y where both are equal: a tiny step from x, which has no derivatives."""
    start, goal = aten.detach_copy(x), aten.detach_copy(y)
    step = torch.nextafter(start, goal) - start
    return torch.where(step == 0, y, x + step)


@written_out("logaddexp.default")
def logaddexp(x: Any, y: Any) -> Any:
    """Log (exp x + exp y) = u + log(1 + exp(v − u)) with the larger u and the smaller v, also where v is −∞."""
    is_x = torch.real(x.detach()) >= torch.real(y.detach())
    larger, smaller = torch.where(is_x, x, y), torch.where(is_x, y, x)
    gap = smaller - larger
    # ∞ − ∞ of two equal infinities is the zero that other equal numbers have.
    return larger + torch.log1p(torch.exp(torch.where(torch.isnan(gap), 0.0, gap)))


@written_out("logaddexp2.default")
def logaddexp2(x: Any, y: Any) -> Any:
    """The same to the base two."""
    return logaddexp(x * math.log(2), y * math.log(2)) / math.log(2)


register("elementwise", "pow.Scalar pow.Tensor_Tensor", powers)

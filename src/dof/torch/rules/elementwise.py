"""Elementwise operations y = f(x₁, x₂, …).

    g' = Σ_i f_i g_i
    s' = Σ_i f_i s_i + Σ_ij f_ij Σ_kl q_kl g_ik g_jl

with the derivatives f_i and f_ij of one element, written by hand for common operations, else by two nested jvps along
ones, or by two nested vjps where PyTorch has no forward derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.func import jvp, vjp

from dof.torch.call import Call, add_parts
from dof.torch.fusing import can_fuse
from dof.torch.registry import aten, register
from dof.torch.rules.decomposition import decomposed
from dof.torch.rules.fused_derivatives import ElementwiseFunction
from dof.torch.rules.fused_elementwise import FusedElementwise
from dof.torch.rules.general import promoted, require_derivatives
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
    if call.func in BY_HAND and len(call.triples) == 1:
        first, second = BY_HAND[call.func](call.values[0], value, call)
        return compose(call, value, [first], {(0, 0): second})
    require_derivatives(call)
    for derivatives in (_by_nested_jvp, _by_nested_vjp):
        try:
            found = derivatives(call, value)
        except (NotImplementedError, RuntimeError):  # some operations have no forward derivatives in PyTorch
            continue
        return compose(call, value, *found)
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


def powers(call: Call) -> Any:
    """x ** y; of a constant x the derivatives are log x · x ** y and log² x · x ** y, zero for x = 0."""
    base, _ = call.args
    if call.is_operand(base) or len(call.triples) > 1:
        return elementwise(call)
    value = call(*call.values)
    base = torch.as_tensor(base, dtype=value.dtype, device=value.device)
    # PyTorch's own gradient of log 0 · 0 ** y is NaN.
    slope = torch.log(torch.where(base == 0, 1.0, base)).expand(value.shape)
    return compose(call, value, [slope * value], {(0, 0): slope * slope * value})


def _pair_sum(call: Call, g: Any, h: Any, is_square: bool) -> Tensor:
    total = call.form.contract(g, g if is_square else h)
    return total if is_square else 2 * total  # f_ij and f_ji


def _by_nested_jvp(call: Call, value: Tensor) -> tuple[Firsts, Seconds]:
    """First and second derivatives of one element in its operands, by forward differentiation."""
    function, operands, own = call.function_of_triples()
    operands = promoted(operands, value)
    at = lambda *places: of_elements(_derivative(function, places), operands)  # noqa: E731
    return [at(n) for n in own], {(i, j): at(own[i], own[j]) for i, j in _pairs(own)}


def of_elements(function: Callable[..., Tensor], operands: Sequence[Any]) -> Any:
    """A function of elements that takes plain tensors, at operands that may be triples, of an outer run for instance.

    Its derivatives are again functions of elements, so that jvp meets plain tensors only.
    """
    if not any(isinstance(operand, Triple) for operand in operands):
        return function(*operands)
    call = _Function(function, operands, {})
    own = [n for n, operand in enumerate(operands) if call.is_operand(operand)]
    values = [operand.value if n in own else operand for n, operand in enumerate(operands)]
    at = lambda *places: of_elements(_derivative(function, places), values)  # noqa: E731
    return compose(call, at(), [at(n) for n in own], {(i, j): at(own[i], own[j]) for i, j in _pairs(own)})


class _Function(Call):
    """A function that is no operation of PyTorch, at its operands; it takes no value for a constant."""

    is_view = False  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]

    def _take_values_of_constants(self) -> None:
        pass


def _derivative(function: Callable[..., Tensor], places: Sequence[int]) -> Callable[..., Tensor]:
    """The derivative of a function of elements in its operands at these places, one after another."""
    for n in places:
        function = partial(_slope, function, n)
    return function


def _slope(function: Callable[..., Tensor], n: int, *values: Tensor) -> Tensor:
    return jvp(function, values, tuple(torch.full_like(v, n == k) for k, v in enumerate(values)))[1]


def _by_nested_vjp(call: Call, value: Tensor) -> tuple[Firsts, Seconds]:
    """The same by reverse differentiation, as for `torch.special.zeta`."""
    if value.is_complex() or isinstance(value, Triple):
        raise NotImplementedError
    values = tuple(v.expand(value.shape) for v in call.values)
    gradients = lambda f, v: vjp(f, *v)[1](torch.ones_like(value))  # noqa: E731
    rows = [gradients(lambda *v, i=i: gradients(call, v)[i], values) for i in range(len(values))]
    return list(gradients(call, values)), {(i, j): rows[i][j] for i, j in _pairs(values)}


def _pairs(values: Sequence[Any]) -> list[tuple[int, int]]:
    return [(i, j) for i in range(len(values)) for j in range(i, len(values))]


register("elementwise", "pow.Scalar pow.Tensor_Tensor", powers)

"""The triple of a function of elements from its derivatives, which are functions of elements as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.func import jvp

from dof.torch.jets.column_form import has_columns
from dof.torch.operation_call import Call, add_parts
from dof.torch.rules.elementwise_of_columns import by_derivatives
from dof.torch.rules.shapes import lifted
from dof.torch.triple import Triple

Firsts = list[Any]
Seconds = dict[tuple[int, int], Any]


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


def of_derivatives(call: Call, value: Tensor, at: Callable[..., Any]) -> Any:
    """The triple of a result, where at(i, j, …) is the derivative of one element in the triples i, j, … of the call."""
    if has_columns(call.form):
        return by_derivatives(call, value, at)
    count = len(call.triples)
    return compose(call, value, [at(i) for i in range(count)], {pair: at(*pair) for pair in pairs(count)})


def of_elements(function: Callable[..., Tensor], operands: Sequence[Any]) -> Any:
    """A function of elements that takes plain tensors, at operands that may be triples, of an outer run for instance.

    Its derivatives are again functions of elements, so that jvp meets plain tensors only.
    """
    if not any(isinstance(operand, Triple) for operand in operands):
        return function(*operands)
    call = _Function(function, operands, {})
    own = [n for n, operand in enumerate(operands) if call.is_operand(operand)]
    values = [operand.value if n in own else operand for n, operand in enumerate(operands)]
    at = lambda *i: of_elements(derivative(function, [own[n] for n in i]), values)  # noqa: E731
    return of_derivatives(call, at(), at)


class _Function(Call):
    """A function that is no operation of PyTorch, at its operands; it takes no value for a constant."""

    is_view = False  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]

    def _take_values_of_constants(self) -> None:
        pass


def derivative(function: Callable[..., Tensor], places: Sequence[int]) -> Callable[..., Tensor]:
    """The derivative of a function of elements in its operands at these places, one after another."""
    for n in places:
        function = partial(_slope, function, n)
    return function


def _slope(function: Callable[..., Tensor], n: int, *values: Tensor) -> Tensor:
    return jvp(function, values, tuple(torch.full_like(v, n == k) for k, v in enumerate(values)))[1]


def pairs(count: int) -> list[tuple[int, int]]:
    """The pairs (i, j), i ≤ j < count."""
    return [(i, j) for i in range(count) for j in range(i, count)]

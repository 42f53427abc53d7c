"""Functions of complex numbers that are not holomorphic, by their real and imaginary parts; quotients."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.call import Call, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import register, written_out
from dof.torch.rules.constant import constant
from dof.torch.rules.elementwise import elementwise
from dof.torch.rules.reductions import squares
from dof.torch.rules.shapes import lifted
from dof.torch.triple import is_smooth


def absolute(call: Call) -> Any:
    """|x|; of a complex number √(re² + im²)."""
    (x,) = call.triples
    return torch.sqrt(squares(x)) if x.is_complex() else elementwise(call)


def angle(call: Call) -> Any:
    """The argument of a complex number."""
    (x,) = call.triples
    return torch.atan2(x.imag, x.real) if x.is_complex() else elementwise(call)


def direction(call: Call) -> Any:
    """x / |x|."""
    (x,) = call.triples
    return x / x.abs() if x.is_complex() else constant(call)


def quotient(call: Call) -> Any:
    """x / y: a constant y divides all parts of x."""
    x, y = call.args[:2]
    if call.is_operand(y):
        return x * torch.reciprocal(y)
    value = call(*call.values)
    part = lambda stack: map_part(lambda s: torch.div(lifted(s, x.value, value), y), stack)  # noqa: E731
    return call.triple(value, part(x.tangents), part(x.applied))


@written_out("complex.default")
def complex_number(re: Any, im: Any) -> Any:
    """Re + i im."""
    return re + 1j * im


@written_out("polar.default")
def polar(absolute: Any, angle: Any) -> Any:
    """A complex number by its absolute value and angle."""
    return torch.complex(absolute * torch.cos(angle), absolute * torch.sin(angle))


def with_other_dtype(call: Call) -> Any:
    """x.view(dtype), the bits of x taken for other numbers, of which PyTorch has no derivatives."""
    value = call(*(value.detach() for value in call.values))
    if is_smooth(value):
        fix = "torch.view_as_complex(x) and torch.view_as_real(x), or x.to(dtype), which converts numbers"
        refuse(call.func, "with a dtype, which takes bits for other numbers and has no derivatives", fix)
    return value


register("linear", "view.dtype", with_other_dtype)
register("elementwise", "abs.default", absolute)
register("elementwise", "angle.default", angle)
register("elementwise", "sgn.default", direction)
register("elementwise", "div.Tensor div.Scalar", quotient)
register("constant", "div.Tensor_mode div.Scalar_mode", constant)

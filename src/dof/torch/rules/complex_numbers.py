"""Functions of complex numbers that are not holomorphic, by their real and imaginary parts; quotients."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.call import Call, map_part
from dof.torch.registry import register, written_out
from dof.torch.rules.constant import constant
from dof.torch.rules.elementwise import elementwise
from dof.torch.rules.reductions import squares
from dof.torch.rules.shapes import lifted


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


register("elementwise", "abs.default", absolute)
register("elementwise", "angle.default", angle)
register("elementwise", "sgn.default", direction)
register("elementwise", "div.Tensor div.Scalar", quotient)
register("constant", "div.Tensor_mode div.Scalar_mode", constant)

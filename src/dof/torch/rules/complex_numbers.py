"""Functions of complex numbers that are not holomorphic, by their real and imaginary parts; quotients."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.jets.column_form import has_columns
from dof.torch.operation_call import Call, add_parts, map_part
from dof.torch.refusal import refuse
from dof.torch.registry import register, written_out
from dof.torch.rules.constant import constant
from dof.torch.rules.elementwise import elementwise
from dof.torch.rules.norms_and_variances import squares
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
    """z = x / y, from z y = x, so that no power of 1 / y is formed, which would overflow for small y.

    g_z = (g_x − z g_y) / y,   s_z = (s_x − z s_y − 2 Σ_kl q_kl g_z,k g_y,l) / y
    """
    x, y = call.args[:2]
    if has_columns(call.form) and call.is_operand(y):
        return elementwise(call)
    value, divisor = call(*call.values), y.value if call.is_operand(y) else y

    def parts(operand: Any, name: str) -> Any:
        stack = getattr(operand, name) if call.is_operand(operand) else None
        return map_part(lambda s: lifted(s, operand.value, value), stack)

    def solved(name: str, *more: Any) -> Any:
        total = add_parts([parts(x, name), map_part(lambda s: -(value * s), parts(y, name)), *more])
        return map_part(lambda s: s / divisor, total)

    tangents, of_divisor = solved("tangents"), parts(y, "tangents")
    cross = None if tangents is None or of_divisor is None else -2 * call.form.contract(tangents, of_divisor)
    return call.triple(value, tangents, solved("applied", cross))


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

"""Complex numbers: real and imaginary parts, conjugates, absolute values and angles."""

from __future__ import annotations

from typing import Any

import torch

from dof.torch.operation_call import Call, map_part
from dof.torch.registry import register, written_out
from dof.torch.rules.constant import constant
from dof.torch.rules.elementwise import elementwise
from dof.torch.rules.linear import by_vmap, elementwise_linear
from dof.torch.rules.norms_and_variances import squares


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


def real_and_imaginary(call: Call) -> Any:
    """Real and imaginary parts on a new last axis, also of conjugates that are not written out yet."""
    (x,) = call.triples
    part = lambda stack: torch.view_as_real(stack.resolve_conj())  # noqa: E731
    return call.triple(part(x.value), map_part(part, x.tangents), map_part(part, x.applied))


def of_real_and_imaginary(call: Call) -> Any:
    """Complex numbers of real and imaginary parts on the last axis, along which a stack may have size one."""
    (x,) = call.triples
    part = lambda stack: torch.view_as_complex(stack.expand(*stack.shape[:-1], 2).contiguous())  # noqa: E731
    return call.triple(call(*call.values), map_part(part, x.tangents), map_part(part, x.applied))


@written_out("complex.default")
def complex_number(re: Any, im: Any) -> Any:
    """Re + i im."""
    return re + 1j * im


@written_out("polar.default")
def polar(absolute: Any, angle: Any) -> Any:
    """A complex number by its absolute value and angle."""
    return torch.complex(absolute * torch.cos(angle), absolute * torch.sin(angle))


register("linear", "real imag _conj _conj_physical conj_physical resolve_conj", elementwise_linear)
register("linear", "view_as_real", real_and_imaginary)
register("linear", "view_as_complex", of_real_and_imaginary)
register("linear", "view_as_real_copy view_as_complex_copy", by_vmap)
register("elementwise", "abs.default", absolute)
register("elementwise", "angle.default", angle)
register("elementwise", "sgn.default", direction)

"""Products x y and quotients x / y, element by element."""

from __future__ import annotations

from operator import mul
from typing import Any

import torch

from dof.torch.jets.column_form import has_columns
from dof.torch.operation_call import Call, add_parts, map_part
from dof.torch.registry import register
from dof.torch.rules.bilinear import product_rule
from dof.torch.rules.constant import constant
from dof.torch.rules.elementwise import elementwise
from dof.torch.rules.shapes import lifted


def elementwise_product(call: Call) -> Any:
    """x y, element by element."""
    x, y = call.args[:2]
    value = call(*call.values)
    stack = lambda part, of: lifted(part, of.value, value)  # noqa: E731
    B = lambda a, b: (stack(a, x) if _is_stack(a, x) else a) * (stack(b, y) if _is_stack(b, y) else b)  # noqa: E731
    cross = lambda g, h: call.form.contract(stack(g, x), stack(h, y))  # noqa: E731
    return product_rule(call, x, y, value, B, cross, mul)


def _is_stack(a: Any, operand: Any) -> bool:
    return isinstance(a, torch.Tensor) and a is not operand and a is not getattr(operand, "value", None)


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


register("bilinear", "mul.Tensor mul.Scalar", elementwise_product)
register("elementwise", "div.Tensor div.Scalar", quotient)
register("constant", "div.Tensor_mode div.Scalar_mode", constant)

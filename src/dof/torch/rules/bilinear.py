"""Bilinear operations B(x, y): the product rule.

g' = B(g, y) + B(x, h)
s' = B(s, y) + B(x, t) + 2 Σ_kl q_kl B(g_k, h_l)

Products of elements are in `elementwise_products.py`, those of matrices in `matrix_products.py` and
`products_written_out.py`.

For operators of an order above two g and h are columns, and g' has the products Σ C_i^jk B(g_j, h_k) as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from dof.symbols.column_algebra import nilpotent_product
from dof.symbols.column_algebra import sums as columns_of_sum
from dof.torch.jets.column_form import has_columns
from dof.torch.jets.columns import by_number, stacked
from dof.torch.operation_call import Call, add_parts, map_part

Product = Callable[[Tensor, Tensor], Tensor]


def product_rule(call: Call, x: Any, y: Any, value: Tensor, B: Product, cross: Product, single: Product) -> Any:
    """The triple of B(x, y) for operands of which at least one is a triple.

    Args:
        call: the operation.
        x: the left operand, a triple or a constant.
        y: the right one.
        value: B of the values.
        B: takes a stack on either side, with the other operand as it is.
        cross: takes stacks on both sides and returns Σ_kl q_kl B(g_k, h_l) for each channel.
        single: B of one entry of each stack.
    """
    is_x, is_y = call.is_operand(x), call.is_operand(y)
    x_value, y_value = x.value if is_x else x, y.value if is_y else y
    left = lambda stack: map_part(lambda s: B(s, y_value), stack)  # noqa: E731
    right = lambda stack: map_part(lambda s: B(x_value, s), stack)  # noqa: E731
    g, s = (x.tangents, x.applied) if is_x else (None, None)
    h, t = (y.tangents, y.applied) if is_y else (None, None)
    if has_columns(call.form):
        return call.triple(value, _columns_of_product(call, value, left(g), right(h), g, h, single), None)
    both = None if g is None or h is None else 2 * cross(g, h)
    return call.triple(value, add_parts([left(g), right(h)]), add_parts([left(s), right(t), both]))


def _columns_of_product(call: Call, value: Tensor, left: Any, right: Any, g: Any, h: Any, single: Product) -> Any:
    """The columns of B(x, y): B(g, y) + B(x, h) and the products of the columns with each other."""
    if g is None or h is None:
        return add_parts([left, right])
    span, first = call.form.span, by_number(g)
    crossed = nilpotent_product(span, first, first if h is g else by_number(h), single)
    return stacked(span, value, columns_of_sum([by_number(left), by_number(right), crossed]))

"""Linear maps and bilinear ones: on all columns at once, or as the product of the algebra joined to the contraction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp

from dof.jax_compat import JaxprEqn, bind
from dof.jaxpr.first_order_rules import FirstOrderRule, function_of, push_jvp
from dof.jaxpr.rules.matrix_product_order import ordered_product
from dof.jaxpr.rules.matrix_products import left_product, right_product, summed_conv, summed_dot
from dof.jets.jet import Jet, columns_of, common_parts, or_constant, stacked, values_of
from dof.symbols.column_algebra import Product, ordered_pairs, sums
from dof.symbols.span import Span
from dof.triples.stack_arithmetic import aligned, broadcast_stack
from dof.triples.triple import depends_on_x


def first_order(rule: Any, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """A map without second derivative: its derivative on each column, all of them stacked."""
    plain, function = values_of(operands), function_of(eqn.primitive, eqn.params)
    values = function(*plain)
    numbers, parts = common_parts(operands)
    push = rule.push if isinstance(rule, FirstOrderRule) else push_jvp
    pushed = push(function, plain, parts, values)
    return [or_constant(v, part, numbers) for v, part in zip(values, pushed, strict=True)]


def clamp(eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """A value between two bounds. Scalar bounds are broadcast first: JAX does not batch those that vary."""
    shape = jnp.shape(values_of(operands)[1])

    def filled(operand: Any) -> Any:
        if not isinstance(operand, Jet):
            return jnp.broadcast_to(operand, shape)
        value = jnp.broadcast_to(operand.value, shape)
        return Jet(value, broadcast_stack(operand.parts, value), operand.columns)

    return first_order(None, eqn, list(map(filled, operands)))


def add_or_subtract(eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """x ± y; a column that one side lacks is that of the other."""
    (value,) = bind(eqn.primitive, values_of(operands), eqn.params)
    x, y = operands
    if isinstance(y, Jet) and eqn.primitive.name == "sub":
        y = Jet(y.value, -y.parts, y.columns)
    if not (isinstance(x, Jet) and isinstance(y, Jet)):
        only = x if isinstance(x, Jet) else y
        return [or_constant(value, only.parts, only.columns)]
    if x.columns == y.columns:
        parts = aligned(x.parts, value) + aligned(y.parts, value)
        return [or_constant(value, parts, x.columns)]
    return [stacked(value, sums([columns_of(x), columns_of(y)]))]


def scaled(eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """x · y or x / y where one side is constant, the divisor in a quotient."""
    (value,) = bind(eqn.primitive, values_of(operands), eqn.params)
    x, y = operands
    jet, other = (x, y) if isinstance(x, Jet) else (y, x)
    parts = aligned(jet.parts, value)
    return [or_constant(value, parts / other if eqn.primitive.name == "div" else parts * other, jet.columns)]


def contraction(span: Span, eqn: JaxprEqn, operands: Sequence[Any]) -> list[Any]:
    """A matrix product or a convolution."""
    x, y = operands
    is_dot = eqn.primitive.name == "dot_general"
    ordered = partial(ordered_product, eqn.primitive, eqn.params, not depends_on_x(x))
    product = ordered if is_dot else lambda a, b: bind(eqn.primitive, [a, b], eqn.params)[0]
    if depends_on_x(x) and depends_on_x(y):
        summed = partial(summed_dot, eqn.primitive) if is_dot else partial(summed_conv, product)
        return [_of_two(span, product, partial(summed, eqn.params), x, y)]
    value = product(*values_of(operands))
    if depends_on_x(x):
        return [Jet(value, left_product(product, x.parts, y), x.columns)]
    return [Jet(value, right_product(product, x, y.parts), y.columns)]


def _of_two(span: Span, product: Product, summed: Product, x: Jet, y: Jet) -> Any:
    """Column i of B(x, y) is Σ weight B(x_j, y_k): the pairs are one more axis to contract."""
    of_x, of_y = ({0: jet.value, **jet.by_number} for jet in (x, y))
    found = {}
    for i in range(1, len(span)):
        pairs = [(j, k, w) for j, k, w in ordered_pairs(span, i) if j in of_x and k in of_y]
        if pairs:
            left = jnp.stack([of_x[j] if w == 1 else w * of_x[j] for j, _, w in pairs])
            found[i] = summed(left, jnp.stack([of_y[k] for _, k, _ in pairs]))
    return stacked(product(x.value, y.value), found)

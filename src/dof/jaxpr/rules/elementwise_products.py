"""Bilinear: B(x, y) with either side constant, or both varying; here the products of elements.

    g' = B(g, y) + B(x, h),     s' = B(s, y) + B(x, t) + 2 Σ_kl q_kl B(g_k, h_l)

Matrix products and convolutions are in `matrix_products.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from dof.jax_compat import Primitive, bind
from dof.jaxpr.elementwise_nested_jvp import Derivatives
from dof.jaxpr.registry import register_named
from dof.jaxpr.rules.elementwise import elementwise
from dof.none_as_zero import add
from dof.triples.rule_context import Rule, RuleContext
from dof.triples.stack_arithmetic import aligned, broadcast_stack
from dof.triples.triple import Triple, applied_of, depends_on_x, tangents_of, value_of


def mul_rule(primitive: Primitive) -> Rule:
    """x · y, elementwise: f_x = y, f_y = x, f_xy + f_yx = 2."""

    def rule(context: RuleContext, x: Any, y: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [value_of(x), value_of(y)], params)
        first = {i: value_of(other) for i, (one, other) in enumerate(((x, y), (y, x))) if depends_on_x(one)}
        both = {(0, 1): jnp.full((), 2, jnp.result_type(value))} if len(first) == 2 else {}
        return [elementwise(context.form, value, [x, y], Derivatives(first, both))]

    return rule


def div_rule(primitive: Primitive) -> Rule:
    """z = x / y, from x = z·y:   g_z = (g_x − z g_y) / y,   s_z = (s_x − z s_y − 2 Σ_kl q_kl g_zk g_yl) / y."""

    def rule(context: RuleContext, x: Any, y: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [value_of(x), value_of(y)], params)
        (gx, sx), (gy, sy) = ([aligned(part(o), value) for part in (tangents_of, applied_of)] for o in (x, y))
        # From the quotient itself: no 1/y² is formed, which would overflow for small y.
        tangents = broadcast_stack(_over(_minus(gx, value, gy), value_of(y)), value)
        cross = None if gy is None else -2 * context.form.contract(tangents, gy)
        applied = broadcast_stack(_over(add(_minus(sx, value, sy), cross), value_of(y)), value)
        return [Triple.or_constant(value, tangents, applied)]

    return rule


def _minus(numerator: Any, quotient: Any, denominator: Any) -> Any:
    return add(numerator, None if denominator is None else -quotient * denominator)


def _over(numerator: Any, y: Any) -> Any:
    return None if numerator is None else numerator / y


def is_linear_in_one(params: dict[str, Any], varying: Sequence[bool]) -> bool:
    """A bilinear map is linear if a single side varies."""
    return sum(varying) == 1


def _is_linear_quotient(params: dict[str, Any], varying: Sequence[bool]) -> bool:
    return not varying[1]


register_named("mul", "bilinear", mul_rule, is_elementwise=True, is_linear=is_linear_in_one)
register_named("div", "bilinear", div_rule, is_elementwise=True, is_linear=_is_linear_quotient)

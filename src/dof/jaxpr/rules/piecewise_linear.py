"""Piecewise linear: F'' = 0, and F' at the point as JAX has it (ties, masks, indices that are out of bounds)."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from dof.jax_compat import Primitive
from dof.jaxpr.first_order_rules import piecewise_rule
from dof.jaxpr.registry import register_named
from dof.triples.rule_context import Rule, RuleContext
from dof.triples.stack_arithmetic import broadcast_stack
from dof.triples.triple import depends_on_x, value_of


def clamp_rule(primitive: Primitive) -> Rule:
    """clamp(low, x, high). Scalar bounds are broadcast first, because JAX does not batch those that vary."""
    of_one_shape = piecewise_rule(primitive)

    def rule(context: RuleContext, low: Any, x: Any, high: Any, **params: Any) -> Any:
        value = value_of(x)
        return of_one_shape(context, *(_in_shape_of(value, operand) for operand in (low, x, high)), **params)

    return rule


def _in_shape_of(value: Any, operand: Any) -> Any:
    if depends_on_x(operand):
        return operand.map(lambda v: jnp.broadcast_to(v, value.shape), lambda part: broadcast_stack(part, value))
    return jnp.broadcast_to(operand, jnp.shape(value))


register_named("clamp", "piecewise linear", clamp_rule, is_elementwise=True)
register_named("max min rem", "piecewise linear", piecewise_rule, is_elementwise=True)
# `device_put` is linear, but has parameters for each operand, so it cannot be applied to some operands alone.
register_named(
    "reduce_max reduce_min cummax cummin reduce_window_max reduce_window_min sort top_k approx_top_k "
    "select_and_gather_add select_and_scatter_add device_put scatter-max scatter-min",
    "piecewise linear",
    piecewise_rule,
)

"""Constant: F' = 0 wherever it exists. No tangents come out.

Whatever has no floating result at all (comparisons, argmax, integers, random bits, prints) is constant by its type: the
interpreter evaluates it without a rule.
"""

from __future__ import annotations

from typing import Any

from dof.jax_compat import Primitive, bind
from dof.jaxpr.registry import register_named
from dof.triples.rule_context import Rule, RuleContext
from dof.triples.triple import value_of


def constant_rule(primitive: Primitive) -> Rule:
    """The plain values of the results."""

    def rule(context: RuleContext, *operands: Any, **params: Any) -> list[Any]:
        return bind(primitive, [value_of(o) for o in operands], params)

    return rule


register_named(
    "floor ceil round sign and or xor not eq ne lt le gt ge is_finite eq_to le_to lt_to shift_left "
    "shift_right_arithmetic shift_right_logical population_count clz mulhi",
    "constant",
    constant_rule,
    is_elementwise=True,
)
register_named(
    "stop_gradient argmax argmin iota rng_uniform rng_bit_generator random_bits random_seed random_split "
    "random_fold_in random_wrap random_unwrap threefry2x32 reduce_and reduce_or reduce_xor bitcast_convert_type "
    "debug_callback debug_print inspect_sharding create_token after_all axis_index dce_sink check",
    "constant",
    constant_rule,
)

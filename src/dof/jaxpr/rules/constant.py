"""Constant: F' = 0 wherever it exists. No tangents come out.

Whatever has no floating result at all (comparisons, argmax, integers, random bits, prints) is constant by its type
and needs no entry here: the walk sees it.
"""

from dof.jax_compat import Primitive, bind
from dof.jaxpr.registry import Rule, register_named
from dof.triples.triple import value_of


def constant_rule(primitive: Primitive) -> Rule:
    return lambda walk, *operands, **params: bind(primitive, [value_of(o) for o in operands], params)


register_named("floor ceil round sign", "constant", constant_rule, pointwise=True)
register_named(
    "and or xor not eq ne lt le gt ge is_finite eq_to le_to lt_to shift_left shift_right_arithmetic "
    "shift_right_logical population_count clz mulhi",
    "constant",
    constant_rule,
    pointwise=True,
)
register_named(
    "stop_gradient argmax argmin iota rng_uniform rng_bit_generator random_bits random_seed random_split "
    "random_fold_in random_wrap random_unwrap threefry2x32 reduce_and reduce_or reduce_xor bitcast_convert_type "
    "debug_callback debug_print inspect_sharding create_token after_all axis_index dce_sink check",
    "constant",
    constant_rule,
)

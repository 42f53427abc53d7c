"""Linear: the same map on value, tangents and applied.   g' = F g,   s' = F s.

Piecewise linear: F'' = 0, and F' at the point as JAX has it (ties, masks, indices that are out of bounds).
"""

from __future__ import annotations

from typing import Any

from dof.jax_compat import Primitive, bind
from dof.jaxpr.nested_jvp import each_rule, linear_rule, parts_of, piecewise_rule
from dof.jaxpr.registry import Rule, register_named
from dof.triples.triple import add, spread, triple_or_constant, value_of

register_named(
    "neg real imag conj convert_element_type reduce_precision copy name", "linear", linear_rule, pointwise=True
)
register_named("reduce_sum cumsum reduce_window_sum fft", "linear", linear_rule)
register_named("complex", "linear", linear_rule, pointwise=True)
register_named(
    "optimization_barrier psum psum_invariant pvary pbroadcast ppermute all_gather all_gather_invariant all_to_all "
    "reduce_scatter sharding_constraint layout_constraint reshard",
    "linear",
    each_rule,
)

register_named("max min clamp rem", "piecewise linear", piecewise_rule, pointwise=True)
register_named(
    "reduce_max reduce_min cummax cummin reduce_window_max reduce_window_min sort top_k approx_top_k "
    "select_and_gather_add select_and_scatter_add device_put",
    "piecewise linear",
    piecewise_rule,
)


def sum_rule(primitive: Primitive) -> Rule:
    """x ± y: unlike other linear maps, a zero derivative on one side leaves that of the other side alone."""

    def rule(walk: Any, x: Any, y: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [value_of(x), value_of(y)], params)
        return [triple_or_constant(value, *(combine(part, value) for part in parts_of([x, y])))]

    def combine(parts: list[Any], value: Any) -> Any:
        x, y = parts
        negated = y if y is None or primitive.name != "sub" else -y
        return add(spread(x, value), spread(negated, value))

    return rule


register_named("add sub add_any", "linear", sum_rule, pointwise=True)

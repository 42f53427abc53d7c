"""Linear: the same map on value, tangents and applied.   g' = F g,   s' = F s."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.jax_compat import Primitive, bind
from dof.jaxpr.first_order_rules import FirstOrderRule, each_rule, linear_rule, parts_of, push_linear
from dof.jaxpr.registry import register_named
from dof.none_as_zero import add
from dof.sparsity.slot_flow import Index, Params, SlotFlow
from dof.sparsity.sums_by_direction import Occurrences, by_direction
from dof.triples.rule_context import Rule, RuleContext
from dof.triples.short_sums import total
from dof.triples.slot_tangents import SlotTangents
from dof.triples.stack_arithmetic import broadcast_stack
from dof.triples.triple import Triple, value_of
from dof.typing import Array


def sum_rule(primitive: Primitive) -> Rule:
    """x ± y. A side without a derivative leaves that of the other as it is; `linear_rule` would add zeros to it."""

    def rule(context: RuleContext, x: Any, y: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [value_of(x), value_of(y)], params)
        return [Triple.or_constant(value, *(combine(part, value) for part in parts_of([x, y])))]

    def combine(parts: list[Any], value: Any) -> Any:
        x, y = parts
        negated = y if y is None or primitive.name != "sub" else -y
        # Before adding: a side that broadcasts may be the only one with a derivative.
        return add(broadcast_stack(x, value), broadcast_stack(negated, value))

    return rule


def _sum_slots(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    return [np.squeeze(indices[0], tuple(a + 1 for a in params["axes"]))]


def _sum_by_direction(
    params: Params, tangents: SlotTangents, axes: tuple[int, ...], found: Occurrences, side: int, other: Any
) -> Array:
    """Σ_i g_ki over the few elements i that direction k occurs in."""
    rest = [a for a in range(tangents.data.ndim - 1) if a not in axes]
    reduced = [2 + n for n, a in enumerate(rest) if a in params["axes"]]
    return jnp.sum(by_direction(tangents, axes, found), axis=(1, *reduced))


def _unchanged_slots(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    return indices


def reduce_sum_rule(primitive: Primitive) -> Rule:
    """Σ along axes, by slices if they are short."""

    def written(x: Any, *, axes: Any, **others: Any) -> list[Any]:
        asks_for_more = any(value is not None for value in others.values())  # as how the result is distributed
        return bind(primitive, [x], {"axes": axes, **others}) if asks_for_more else [total(x, axes)]

    return FirstOrderRule(primitive, push_linear, written)


register_named("add sub add_any", "linear", sum_rule, is_elementwise=True)
register_named(
    "neg real imag conj convert_element_type reduce_precision copy name complex",
    "linear",
    linear_rule,
    is_elementwise=True,
)
register_named(
    "reduce_sum",
    "linear",
    reduce_sum_rule,
    slot_flow=SlotFlow(_sum_slots, mixes=lambda params, operand: params["axes"]),
    scatter_sum=_sum_by_direction,
    summed_axes=lambda params: [int(a) for a in params["axes"]],
)
register_named(
    "cumsum", "linear", linear_rule, slot_flow=SlotFlow(_unchanged_slots, lambda params, operand: (params["axis"],))
)
register_named("reduce_window_sum fft", "linear", linear_rule)
# Result i depends on operand i alone, so operands without a derivative need not be sent to other devices as zeros.
register_named(
    "optimization_barrier psum psum_invariant pvary pbroadcast ppermute all_gather all_gather_invariant all_to_all "
    "reduce_scatter sharding_constraint layout_constraint reshard mesh_cast",
    "linear",
    each_rule,
)

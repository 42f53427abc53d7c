"""Which mode a rule is applied in: the one that keeps as much structure as pays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dof.jax_compat import JaxprEqn, shape_of
from dof.jaxpr.diagnostics import checked
from dof.jaxpr.registry import Record
from dof.jaxpr.trace_log import BOTH_VARY, JOINED, SUMMED, TOO_MANY, WHOLE
from dof.sparsity.modes import flowing, framed, per_element, scattered
from dof.sparsity.placed_sums import placed_sum
from dof.sparsity.sums_by_direction import scatter_sum
from dof.triples.rule_context import Rule, SlotContext
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import Slots, collapse, uniform
from dof.triples.triple import has_tangents

USERS = "registered"
"""The family of rules that users bring, whose results are checked."""


def apply_rule(
    context: SlotContext, record: Record, eqn: JaxprEqn, operands: Sequence[Any]
) -> tuple[Sequence[Any], str]:
    """Apply the rule of an equation in the mode that keeps as much structure as pays.

    Returns:
        (results, why no more structure was kept).
    """
    rule = checked(record.rule, eqn) if record.family == USERS else record.rule
    if record.takes_slots:
        return rule(context, *operands, **eqn.params), WHOLE
    why = JOINED
    # Where all elements have the same directions already, there is no structure to keep.
    if not all(o.tangents.slots.is_uniform for o in operands if has_tangents(o)):
        results, why = _with_own_directions(context, record, rule, eqn, operands)
        if results is not None:
            return results, why
    return framed(context, rule, operands, eqn.params), why


def _with_own_directions(
    context: SlotContext, record: Record, rule: Rule, eqn: JaxprEqn, operands: Sequence[Any]
) -> tuple[Any, str]:
    """The results if elements can keep directions of their own, else None; and the reason if they cannot."""
    if record.is_elementwise:
        return per_element(context, rule, operands, eqn.params, shape_of(eqn.outvars[0])), TOO_MANY
    flow = record.flow_for(operands)
    if flow is None:
        return None, f"it is not known how directions go through `{eqn.primitive.name}`"
    if flow.one_operand_only and sum(map(has_tangents, operands)) > 1:
        products = record.as_products(eqn.params, operands) if record.as_products else None
        if products:
            return context.through(products, operands), BOTH_VARY
        return (record.of_pairs(context, eqn, operands) if record.of_pairs else None), BOTH_VARY
    # First, because it multiplies only the few elements that a direction occurs in; `flowing` multiplies all slots.
    tangents = scatter_sum(record.scatter_sum, flow, eqn.params, operands) if record.scatter_sum else None
    if tangents is not None:
        return scattered(context, rule, operands, eqn.params, tangents), SUMMED
    if record.summed_axes:
        tangents = _placed(context, operands[0].tangents, record.summed_axes(eqn.params))
        return scattered(context, rule, operands, eqn.params, tangents), TOO_MANY
    return flowing(context, rule, operands, eqn.params, flow), TOO_MANY


def _placed(context: SlotContext, tangents: SlotTangents, axes: Sequence[int]) -> SlotTangents:
    """The tangents of a sum: with slots for each element where that pays, else along all directions."""
    joined = collapse(tangents.slots, axes)
    own = Slots(np.squeeze(joined.index, tuple(1 + a for a in axes)))
    directions = tangents.slots.directions
    target = own if context.keeps(own, len(directions)) else uniform(directions, own.index.ndim - 1)
    return placed_sum(tangents, axes, target)

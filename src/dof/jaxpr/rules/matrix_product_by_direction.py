"""Matrix products of which both sides depend on x, one of them with few directions for each element that is summed.

In the first layer of attention, the weight p_ij depends on all particles, and v_j on particle j only:

    Σ_j p_ij v_j:     g'_di = Σ_j g_dij v_j + Σ_j p_ij h_dj,     s'_i = … + 2 Σ_d q_d Σ_j g_dij h_dj

In the last two sums, direction d has terms for the few j that depend on it: they are products of these elements
(`dot_by_direction`) instead of matrix products with tangents that are mostly zero. In a Psiformer of 16 electrons they
were a sixth of the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.jax_compat import JaxprEqn, bind
from dof.jaxpr.rules.matrix_product_slots import DOT_SLOTS, dot_by_direction, dot_over_directions
from dof.none_as_zero import add
from dof.sparsity.sums_by_direction import Occurrences, summed_occurrences
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.rule_context import SlotContext
from dof.triples.slot_tangents import SlotTangents, embed, sum_of_tangents
from dof.triples.slots import uniform
from dof.triples.slots_to_stacks import without_tangents
from dof.triples.stack_arithmetic import settled
from dof.triples.triple import SlotTriple


def product_by_direction(context: SlotContext, eqn: JaxprEqn, operands: Sequence[SlotTriple]) -> list[Any] | None:
    """The triple of a matrix product; None if neither side has slots that differ along contracted axes only."""
    # A coupling may join any two directions, so that every pair of elements would have to be looked at.
    if context.form.couplings:
        return None
    params, tangents = eqn.params, [_tangents(operand) for operand in operands]
    occurrences = [_occurrences(params, each, side) for side, each in enumerate(tangents)]
    side, found = next(((n, occurrences[n]) for n in (1, 0) if occurrences[n]), (0, None))
    if found is None:
        return None
    own, other, axes = tangents[side], 1 - side, tangents[side].slots.varying_axes
    # By number: a value times itself is the same operand twice.
    factors = [without_tangents(operand) if n == side else operand for n, operand in enumerate(operands)]
    (rest,) = context.unlogged().through(lambda *both: bind(eqn.primitive, both, params), factors)
    along = dot_by_direction(params, own, axes, found, side, operands[other].value)
    joined = sum_of_tangents([rest.tangents, SlotTangents(along, uniform(found.directions, along.ndim - 1))])
    stack = embed(tangents[other], uniform(found.directions, np.ndim(operands[other].value)))
    sums = [dot_over_directions(params, each, axes, found, side, stack) for each in _weighted(context.form, own)]
    return [SlotTriple(rest.value, joined, add(rest.applied, 2 * settled(jnp.stack(sums))))]


def _tangents(operand: SlotTriple) -> SlotTangents:
    assert operand.tangents is not None  # both sides vary
    return operand.tangents


def _occurrences(params: Any, tangents: SlotTangents, side: int) -> Occurrences | None:
    return None if tangents.slots.is_uniform else summed_occurrences(DOT_SLOTS, params, tangents, side)


def _weighted(form: QuadraticForm, tangents: SlotTangents) -> list[SlotTangents]:
    """q_d h_d in the slots of h, for each channel."""
    if form.is_plain_sum:
        return [tangents]
    weights = jnp.asarray(form.weights, tangents.data.dtype)[:, tangents.slots.index]
    return [SlotTangents(each * tangents.data, tangents.slots) for each in weights]

"""Matrix products of which both sides depend on x, each element of the result in few directions.

A logit q_i · k_j of attention depends on the directions of i and of j only:

    g'_ij = Σ_c g_ic y_jc along the slots of i, and Σ_c x_ic h_jc along those of j
    s'_ij = Σ_c (s_ic y_jc + x_ic t_jc) + 2 Σ_c Σ_d q_d g_dic h_djc          over the directions d that i and j share
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.jax_compat import JaxprEqn, bind
from dof.jaxpr.rules.matrix_product_slots import DOT_SLOTS
from dof.none_as_zero import add
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.rule_context import SlotContext
from dof.triples.slot_tangents import SlotTangents, embed, sum_of_tangents
from dof.triples.slots import Slots, collapse, merge
from dof.triples.slots_to_stacks import frame_of
from dof.triples.stack_arithmetic import settled
from dof.triples.triple import SlotTriple


def product_of_pairs(context: SlotContext, eqn: JaxprEqn, operands: Sequence[SlotTriple]) -> list[Any] | None:
    """The triple of a matrix product; None if slots for each element do not pay."""
    # A coupling may join any two directions, so that every pair of slots would have to be looked at.
    if context.form.couplings:
        return None
    params = eqn.params
    own = [
        collapse(operand.tangents.slots, axes)  # pyright: ignore[reportOptionalMemberAccess]
        for operand, axes in zip(operands, params["dimension_numbers"][0], strict=True)
    ]
    shapes = [np.shape(operand.value) for operand in operands]
    slots = [_in_result(params, own, n, shapes) for n in (0, 1)]
    if not context.keeps(merge(slots), len(frame_of(operands))):
        return None
    product = lambda a, b: bind(eqn.primitive, [a, b], params)[0]  # noqa: E731
    x, y = operands
    g, h = (embed(operand.tangents, s) for operand, s in zip(operands, own, strict=True))  # pyright: ignore
    along = jax.vmap(product, (0, None))(g, y.value), jax.vmap(product, (None, 0))(x.value, h)
    tangents = sum_of_tangents([SlotTangents(data, s) for data, s in zip(along, slots, strict=True)])
    applied = None if x.applied is None else jax.vmap(product, (0, None))(x.applied, y.value)
    applied = add(applied, None if y.applied is None else jax.vmap(product, (None, 0))(x.value, y.applied))
    applied = add(applied, _cross(context.form, product, g, h, slots[0].index, slots[1].index))
    return [SlotTriple(product(x.value, y.value), tangents, applied)]


def _in_result(params: dict[str, Any], own: Sequence[Slots], n: int, shapes: Sequence[tuple[int, ...]]) -> Slots:
    """The slots of operand n, where its free axes stand in the result."""
    indices = [s.index if m == n else s.index[:0] for m, s in enumerate(own)]
    return Slots(DOT_SLOTS.moves(params, indices, list(shapes))[0])


def _cross(form: QuadraticForm, product: Any, g: Any, h: Any, left: np.ndarray, right: np.ndarray) -> Any:
    """2 Σ_d q_d B(g_d, h_d) over the directions that both sides of an element have; None if there are none."""
    shared = (left[:, None] == right[None]) & (left[:, None] != EMPTY)
    pairs = np.argwhere(shared.reshape(*shared.shape[:2], -1).any(axis=-1))
    if not len(pairs):
        return None
    products = jax.vmap(product)(g[pairs[:, 0]], h[pairs[:, 1]])
    weights = jnp.asarray(form.weights, products.dtype)[:, left[pairs[:, 0]]]
    return 2 * settled(jnp.sum(jnp.where(shared[pairs[:, 0], pairs[:, 1]], weights * products, 0), axis=1))

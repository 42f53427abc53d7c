"""Bilinear maps that sum: matrix products and convolutions.

    g' = B(g, y) + B(x, h),     s' = B(s, y) + B(x, t) + 2 Σ_kl q_kl B(g_k, h_l)

The sum over directions joins the contraction that B does itself, so that nothing of size directions × result is formed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.jax_compat import JaxprEqn, Primitive, bind, shape_of
from dof.jaxpr.registry import register_named, size_of
from dof.jaxpr.rules.elementwise_products import is_linear_in_one
from dof.jaxpr.rules.matrix_product_by_direction import product_by_direction
from dof.jaxpr.rules.matrix_product_order import ordered_product
from dof.jaxpr.rules.matrix_product_pairs import product_of_pairs
from dof.jaxpr.rules.matrix_product_slots import DOT_SLOTS, dot_by_direction, inner_or_outer_product
from dof.none_as_zero import add
from dof.triples.rule_context import Rule, RuleContext, SlotContext
from dof.triples.slot_form import AnyForm
from dof.triples.stack_arithmetic import settled
from dof.triples.triple import Triple, applied_of, depends_on_x, tangents_of, value_of

Product = Callable[[Any, Any], Any]


def bilinear(form: AnyForm, product: Product, summed: Product, x: Any, y: Any) -> list[Any]:
    """The triple of B(x, y).

    Args:
        form: the quadratic form of the directions.
        product: B.
        summed: (g, h) ↦ Σ_k B(g_k, h_k) for stacks g, h.
        x: the first operand.
        y: the second operand.
    """
    value = product(value_of(x), value_of(y))
    tangents, applied = (
        add(left_product(product, part(x), value_of(y)), right_product(product, value_of(x), part(y)))
        for part in (tangents_of, applied_of)
    )
    return [Triple.or_constant(value, tangents, add(applied, _cross(form, summed, tangents_of(x), tangents_of(y))))]


def left_product(product: Product, part: Any, y: Any) -> Any:
    """B(g_k, y) for each entry of a stack g; None stands for zero."""
    return None if part is None else jax.vmap(product, in_axes=(0, None))(part, y)


def right_product(product: Product, x: Any, part: Any) -> Any:
    """B(x, h_k) for each entry of a stack h; None stands for zero."""
    return None if part is None else jax.vmap(product, in_axes=(None, 0))(x, part)


def _cross(form: AnyForm, summed: Product, g: Any, h: Any) -> Any:
    """2 Σ_kl q_kl B(g_k, h_l), one entry per channel; the smaller side is the one that is weighted."""
    if g is None or h is None or not form.meets(0, 1):
        return None
    # Weighting copies a stack once per channel: the smaller one is cheaper.
    if g.size < h.size:
        return 2 * settled(jnp.stack([summed(weighted, h) for weighted in form.weigh(g)]))
    return 2 * settled(jnp.stack([summed(g, weighted) for weighted in form.weigh(h)]))


def dot_general_rule(primitive: Primitive) -> Rule:
    """Matrix products."""

    def rule(context: RuleContext, x: Any, y: Any, **params: Any) -> list[Any]:
        product = partial(ordered_product, primitive, params, not depends_on_x(x))
        return bilinear(context.form, product, partial(summed_dot, primitive, params), x, y)

    return rule


def summed_dot(primitive: Primitive, params: dict[str, Any], g: Any, h: Any) -> Any:
    """Σ_k g_k h_k: the directions are one more axis to contract."""
    contracted, batched = params["dimension_numbers"]
    joined = tuple((0, *(d + 1 for d in dims)) for dims in contracted)
    shifted = tuple(tuple(d + 1 for d in dims) for dims in batched)
    return bind(primitive, [g, h], {**params, "dimension_numbers": (joined, shifted), "out_sharding": None})[0]


def product_of_two_varying(context: SlotContext, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any] | None:
    """The triple of a product of which both sides depend on x, by the few directions that elements have."""
    return product_of_pairs(context, eqn, operands) or product_by_direction(context, eqn, operands)


def _dot_operations(eqn: JaxprEqn) -> float:
    contracted = eqn.params["dimension_numbers"][0][0]
    length = float(np.prod([shape_of(eqn.invars[0])[a] for a in contracted]))
    return 2 * sum(map(size_of, eqn.outvars)) * length


def conv_rule(primitive: Primitive) -> Rule:
    """Convolutions."""

    def rule(context: RuleContext, x: Any, y: Any, **params: Any) -> list[Any]:
        product = lambda a, b: bind(primitive, [a, b], params)[0]  # noqa: E731
        return bilinear(context.form, product, partial(summed_conv, product, params), x, y)

    return rule


def summed_conv(product: Product, params: dict[str, Any], g: Any, h: Any) -> Any:
    """Σ_k g_k * h_k: the directions are further input features, which a convolution sums over unless it has groups."""
    if params["feature_group_count"] != 1 or params["batch_group_count"] != 1:
        return jnp.sum(jax.vmap(product)(g, h), axis=0)
    numbers = params["dimension_numbers"]
    return product(_fold(g, numbers.lhs_spec[1]), _fold(h, numbers.rhs_spec[1]))


def _fold(g: Any, axis: int) -> Any:
    """Join the leading axis with `axis` of the rest."""
    moved = jnp.moveaxis(g, 0, axis)
    return moved.reshape(*moved.shape[:axis], -1, *moved.shape[axis + 2 :])


def _conv_operations(eqn: JaxprEqn) -> float:
    features = eqn.params["dimension_numbers"].rhs_spec[0]
    kernel = size_of(eqn.invars[1]) / max(shape_of(eqn.invars[1])[features], 1)
    return 2 * sum(map(size_of, eqn.outvars)) * kernel


register_named(
    "dot_general",
    "bilinear",
    dot_general_rule,
    is_linear=is_linear_in_one,
    slot_flow=DOT_SLOTS,
    scatter_sum=dot_by_direction,
    as_products=inner_or_outer_product,
    of_pairs=product_of_two_varying,
    operations=_dot_operations,
)
register_named("conv_general_dilated", "bilinear", conv_rule, is_linear=is_linear_in_one, operations=_conv_operations)

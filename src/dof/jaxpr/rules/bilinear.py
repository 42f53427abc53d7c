"""Bilinear: B(x, y) with either side constant, or both varying.

    g' = B(g, y) + B(x, h),     s' = B(s, y) + B(x, t) + 2 Σ_kl q_kl B(g_k, h_l)

The sum over directions is joined to the contraction that B does itself, so that nothing of size directions × result
is formed for it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from dof.jax_compat import Primitive, bind
from dof.jaxpr.elementwise_derivatives import Derivatives
from dof.jaxpr.registry import Rule, register_named
from dof.jaxpr.rules.elementwise import elementwise
from dof.triples.quadratic_form import AnyForm, settled
from dof.triples.triple import Triple, add, aligned, applied_of, spread, tangents_of, triple_or_constant, value_of

Joined = Callable[[Any, Any], Any]
"""(g, h) ↦ Σ_k B(g_k, h_k)"""


def bilinear(form: AnyForm, product: Callable[[Any, Any], Any], joined: Joined, x: Any, y: Any) -> list[Any]:
    value = product(value_of(x), value_of(y))
    tangents, applied = (
        add(_left(product, part(x), value_of(y)), _right(product, value_of(x), part(y)))
        for part in (tangents_of, applied_of)
    )
    return [triple_or_constant(value, tangents, add(applied, _cross(form, joined, tangents_of(x), tangents_of(y))))]


def _left(product: Callable[[Any, Any], Any], part: Any, y: Any) -> Any:
    return None if part is None else jax.vmap(product, in_axes=(0, None))(part, y)


def _right(product: Callable[[Any, Any], Any], x: Any, part: Any) -> Any:
    return None if part is None else jax.vmap(product, in_axes=(None, 0))(x, part)


def _cross(form: AnyForm, joined: Joined, g: Any, h: Any) -> Any:
    """2 Σ_kl q_kl B(g_k, h_l), one entry per channel; the smaller side is the one that is weighted."""
    if g is None or h is None or not form.meets(0, 1):
        return None
    if g.size < h.size:
        return 2 * settled(jnp.stack([joined(weighted, h) for weighted in form.weigh(g)]))
    return 2 * settled(jnp.stack([joined(g, weighted) for weighted in form.weigh(h)]))


def mul_rule(primitive: Primitive) -> Rule:
    """x · y, elementwise: the one bilinear map whose sum over directions is the form itself."""

    def rule(walk: Any, x: Any, y: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [value_of(x), value_of(y)], params)
        first = {i: value_of(other) for i, (one, other) in enumerate(((x, y), (y, x))) if isinstance(one, Triple)}
        both = {(0, 1): jnp.full((), 2, jnp.result_type(value))} if len(first) == 2 else {}
        return [elementwise(walk.form, value, [x, y], Derivatives(first, both))]

    return rule


def div_rule(primitive: Primitive) -> Rule:
    """q = x / y, from x = q·y:   g_q = (g_x − q g_y) / y,   s_q = (s_x − q s_y − 2 Σ_kl q_kl g_qk g_yl) / y."""

    def rule(walk: Any, x: Any, y: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [value_of(x), value_of(y)], params)
        (gx, sx), (gy, sy) = ([aligned(part(o), value) for part in (tangents_of, applied_of)] for o in (x, y))
        tangents = spread(_over(_minus(gx, value, gy), value_of(y)), value)
        cross = None if gy is None else -2 * walk.form.contract(tangents, gy)
        applied = spread(_over(add(_minus(sx, value, sy), cross), value_of(y)), value)
        return [triple_or_constant(value, tangents, applied)]

    return rule


def _minus(numerator: Any, quotient: Any, denominator: Any) -> Any:
    return add(numerator, None if denominator is None else -quotient * denominator)


def _over(numerator: Any, y: Any) -> Any:
    return None if numerator is None else numerator / y


register_named("mul", "bilinear", mul_rule, pointwise=True)
register_named("div", "bilinear", div_rule, pointwise=True)


def dot_general_rule(primitive: Primitive) -> Rule:
    def rule(walk: Any, x: Any, y: Any, **params: Any) -> list[Any]:
        product = lambda a, b: bind(primitive, [a, b], params)[0]  # noqa: E731
        return bilinear(walk.form, product, partial(_joined_dot, primitive, params), x, y)

    return rule


def _joined_dot(primitive: Primitive, params: dict[str, Any], g: Any, h: Any) -> Any:
    """The directions are one more axis to contract."""
    contracted, batched = params["dimension_numbers"]
    joined = tuple((0, *(d + 1 for d in dims)) for dims in contracted)
    shifted = tuple(tuple(d + 1 for d in dims) for dims in batched)
    return bind(primitive, [g, h], {**params, "dimension_numbers": (joined, shifted), "out_sharding": None})[0]


register_named("dot_general", "bilinear", dot_general_rule)


def conv_rule(primitive: Primitive) -> Rule:
    def rule(walk: Any, x: Any, y: Any, **params: Any) -> list[Any]:
        product = lambda a, b: bind(primitive, [a, b], params)[0]  # noqa: E731
        return bilinear(walk.form, product, partial(_joined_conv, product, params), x, y)

    return rule


def _joined_conv(product: Callable[[Any, Any], Any], params: dict[str, Any], g: Any, h: Any) -> Any:
    """The directions are further input features, which a convolution sums over; groups do not mix, so they cannot."""
    if params["feature_group_count"] != 1 or params["batch_group_count"] != 1:
        return jnp.sum(jax.vmap(product)(g, h), axis=0)
    numbers = params["dimension_numbers"]
    return product(_fold(g, numbers.lhs_spec[1]), _fold(h, numbers.rhs_spec[1]))


def _fold(g: Any, axis: int) -> Any:
    """Join the leading axis with `axis` of the rest."""
    moved = jnp.moveaxis(g, 0, axis)
    return moved.reshape(*moved.shape[:axis], -1, *moved.shape[axis + 2 :])


register_named("conv_general_dilated", "bilinear", conv_rule)

"""A residual at one point: it is traced, planned, propagated, and evaluated with what comes out."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.extend import (
    Call,
    full_triple,
    is_traced,
    propagate_operators,
    propagate_prepared,
    propagate_symbols,
    value_as_array,
)
from dof.pde.notation.derivatives import Derivative, First, Gradient
from dof.pde.planning.evaluate_nested import jacobian_of, require_fields
from dof.pde.planning.merged_derivatives import contribution, merges_of
from dof.pde.planning.plan import Choice, Plan, Planned, make_plan
from dof.pde.planning.plan_any_order import ColumnPlan, is_higher, operator_of, plan_columns
from dof.pde.planning.traced_residual import TracedResidual, derivative_shape, trace_residual

KEPT_PLANS = 64
"""How many plans a residual keeps: one for each kind of network and parameters that it is called with."""


class CachedPlan(NamedTuple):
    """What later traces of the same residual start from. A wrong one costs time, never correctness."""

    reads: tuple[Derivative, ...]
    choice: Choice


def by_propagation(residual: Any, net: Callable[[Any], Any], point: Any, parameters: Any) -> Any:
    """The residual, with all derivatives from one propagation."""
    shape = jax.eval_shape(net, point)
    require_fields(residual, shape)
    traced, (plan, prepared, _) = plan_of(residual, shape, point, parameters)
    value, applied, derivatives = derivatives_by_propagation(net, plan, prepared, point)
    rest = traced.at(derivatives, value, point)
    if plan.merged:
        places = zip(rest, plan.where, strict=True)
        # The operators of a merge are the first channels of every plan (see `_planned`).
        rest = [leaf + contribution(where, leaf.shape, applied[: where.shape[-1]]) for leaf, where in places]
    return jax.tree.unflatten(traced.tree, rest)


def plan_of(residual: Any, value: Any, point: Any, parameters: Any) -> tuple[TracedResidual, Planned]:
    """The residual as a program, and the plan for it.

    Args:
        residual: the residual, which keeps what was found for later traces.
        value: shape and dtype of the network's value.
        point: the point.
        parameters: keywords of the user's function.
    """
    key = _key(value, point, parameters)
    cached = residual.cached_plans.get(key)
    traced = trace_residual(residual, value, point, parameters, cached.reads if cached else None)
    planned = plan_traced(residual, point, traced, merges_of(traced, point), cached.choice if cached else None)
    _remember(residual.cached_plans, key, CachedPlan(traced.reads, planned.choice))
    return traced, planned


def plan_traced(residual: Any, point: Any, traced: TracedResidual, merges: Any, earlier: Choice | None) -> Planned:
    """The cheapest plan with one of the merges, by columns if a derivative is of an order above two."""
    wanted = (point, traced.reads, merges, earlier)
    has_higher = any(map(is_higher, traced.reads))
    return plan_columns(*wanted, residual.coordinates.each) if has_higher else make_plan(*wanted)


def _remember(plans: dict[Hashable, CachedPlan], key: Hashable, plan: CachedPlan) -> None:
    if key not in plans and len(plans) >= KEPT_PLANS:
        # The oldest one: dictionaries keep the order of insertion.
        del plans[next(iter(plans))]
    plans[key] = plan


def _key(value: Any, point: Any, parameters: Any) -> Hashable:
    """Types of what is traced, and the numbers that are known: these decide which plan is best."""
    leaves, tree = jax.tree.flatten(parameters)
    return tree, value.shape, str(value.dtype), np.shape(point), *map(_key_of_parameter, leaves)


def _key_of_parameter(leaf: Any) -> Hashable:
    if is_traced(leaf) or np.ndim(leaf):
        # Entries of arrays are left out: for other entries another plan may be cheaper, but none is wrong.
        return np.shape(leaf), is_traced(leaf)
    # As text: a NumPy array of shape () has no hash, and nan is not equal to itself.
    return str(leaf)


def derivatives_by_propagation(
    net: Callable[[Any], Any], plan: Plan, prepared: Any, point: Any
) -> tuple[Any, Any, list[Any]]:
    """(value, operators applied, each derivative that the plan reads)."""
    value, tangents, applied = _propagated(net, plan, prepared, point)

    def given(read: Derivative) -> Any:
        if read in plan.merged:
            # Merged derivatives enter linearly: they are zero in the program, and their operators are added after it.
            return jnp.zeros(derivative_shape(read, value), value.dtype)
        if read in plan.nested:
            return _by_nesting(net, operator_of(read, point.size), point)
        if read in plan.sums:
            return sum(weight * applied[k] for weight, k in plan.sums[read])
        if isinstance(read, Gradient):
            return _gradient(net, plan, read, point, tangents)
        assert isinstance(read, First)
        k, scale = plan.along[read.i]
        return tangents[k] / scale

    return value, applied, [given(read) for read in plan.reads]


def _propagated(net: Callable[[Any], Any], plan: Plan, prepared: Any, point: Any) -> tuple[Any, Any, Any]:
    """(value, tangents, operators applied)."""
    if prepared is None:
        return net(point), None, ()
    if isinstance(plan, ColumnPlan):
        return _columns(net, plan, prepared, point)
    found = propagate_prepared(prepared, Call(net, (point,)), wants_tangents=plan.wants_tangents)
    full = lambda out: full_triple(out, found.directions, found.readings).tangents  # noqa: E731
    tangents = found.each(full) if plan.wants_tangents else None
    return found.each(value_as_array), tangents, tuple(found.each(reading.of) for reading in found.readings)


def _columns(net: Callable[[Any], Any], plan: ColumnPlan, symbols: Any, point: Any) -> tuple[Any, Any, Any]:
    """The same for a plan of columns: the last channels are the derivatives along the coordinates of gradients."""
    found = propagate_symbols(symbols, Call(net, (point,)))
    applied = tuple(found.each(reading.of) for reading in found.readings)
    tangents = jnp.stack(applied[-len(plan.along) :]) if plan.along else None
    return found.each(value_as_array), tangents, applied


def _by_nesting(net: Callable[[Any], Any], operator: Any, point: Any) -> Any:
    found = propagate_operators(Call(net, (point,)), [operator])
    return found.each(found.readings[0].of)


def _gradient(net: Callable[[Any], Any], plan: Plan, read: Gradient, point: Any, tangents: Any) -> Any:
    """Off the tangents, or by reverse differentiation where these have other directions."""
    places = plan.gradient_directions(read)
    if places is None:
        return jacobian_of(jax.eval_shape(net, point))(net)(point)[..., jnp.asarray(read.places)]
    directions, scales = places
    return jnp.moveaxis(tangents[directions], 0, -1) / scales

"""A residual at one point: what it reads is recorded, planned, propagated and given to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from dof.apply import after_propagation
from dof.errors import ArgumentError, describe
from dof.options import DEFAULT
from dof.pde.affine import affine_reads
from dof.pde.merge import merge_of
from dof.pde.plan import Plan, gradient_places, make_plan
from dof.pde.reads import First, Gradient, Read
from dof.readout import full_triple, value_as_array


def evaluate(problem: Any, net: Callable[[Any], Any], point: Any, parameters: Any) -> Any:
    value = jax.eval_shape(net, point)
    _require_fields(problem, value)
    plan = plan_of(problem, value, point, parameters)
    value, tangents, applied = _propagated(net, plan, point)

    def given(read: Read) -> Any:
        if read in plan.merged:
            return jnp.zeros_like(value)
        if read in plan.channels:
            return sum(weight * applied[k] for weight, k in plan.channels[read])
        if isinstance(read, Gradient):
            return _gradient(net, plan, read, point, tangents)
        assert isinstance(read, First)
        k, scale = plan.along[read.i]
        return tangents[k] / scale

    rest, tree = jax.tree.flatten(problem.run(given, value, point, parameters))
    if plan.merge:
        merged = applied[: len(plan.merge.rows)]
        rest = [leaf + plan.merge.contribution(l, leaf.shape, merged) for l, leaf in enumerate(rest)]
    return jax.tree.unflatten(tree, rest)


def _require_fields(problem: Any, value: Any) -> None:
    expected = () if problem.is_single else (problem.fields.count,)
    if getattr(value, "shape", None) != expected:
        found = f"returns {value if not hasattr(value, 'shape') else f'shape {value.shape}'}"
        fix = "net = lambda z: network(z)[0]" if problem.is_single else f"net = lambda z: network(z)  # {expected}"
        raise ArgumentError(describe("net", found, f"shape {expected} for the fields {problem.fields}", fix))


def _propagated(net: Callable[[Any], Any], plan: Plan, point: Any) -> tuple[Any, Any, Any]:
    """(value, tangents, operators applied)"""
    if not plan.operators:
        return net(point), None, ()
    wants_tangents = any(isinstance(read, (First, Gradient)) and read not in plan.merged for read in plan.reads)

    def read(p: Any) -> Any:
        tangents = p.each(lambda out: full_triple(out, p.form, p.readings).tangents) if wants_tangents else None
        return p.each(value_as_array), tangents, tuple(p.each(reading.of) for reading in p.readings)

    return after_propagation(net, plan.operators, 0, DEFAULT, read, wants_tangents)(point)


def _gradient(net: Callable[[Any], Any], plan: Plan, read: Gradient, point: Any, tangents: Any) -> Any:
    """Off the tangents, or by reverse differentiation where these have other directions."""
    places = gradient_places(plan, read)
    if places is None:
        return jax.jacrev(net)(point)[..., jnp.asarray(read.places)]
    directions, scales = places
    return jnp.moveaxis(tangents[directions], 0, -1) / scales


def plan_of(problem: Any, value: Any, point: Any, parameters: Any) -> Plan:
    """From a run that only records what is read."""
    reads: dict[Read, None] = {}

    def record(read: Read) -> Any:
        reads[read] = None
        return jnp.zeros(_shape_of(read, value), value.dtype)

    jax.eval_shape(lambda value, point: problem.run(record, value, point, parameters), value, point)
    found = tuple(reads)
    structs = [jax.ShapeDtypeStruct(_shape_of(read, value), value.dtype) for read in found]

    def of_reads(derivatives: Any, value: Any, point: Any) -> Any:
        return problem.run(dict(zip(found, derivatives, strict=True)).__getitem__, value, point, parameters)

    affine = affine_reads(jax.make_jaxpr(of_reads)(structs, value, point), [*range(len(found)), -1, None])
    merged = [k for k in sorted(affine) if not isinstance(found[k], Gradient)]

    def of_merged(derivatives: Any, point: Any) -> Any:
        every = [jnp.zeros(struct.shape, struct.dtype) for struct in structs]
        for k, derivative in zip(merged, derivatives, strict=True):
            every[k] = derivative
        return of_reads(every, jnp.zeros(value.shape, value.dtype), point)

    merge = merge_of(of_merged, [found[k] for k in merged], [structs[k] for k in merged], point)
    return make_plan(problem.coordinates.count, found, merge)


def _shape_of(read: Read, value: Any) -> tuple[int, ...]:
    return (*value.shape, len(read.places)) if isinstance(read, Gradient) else value.shape

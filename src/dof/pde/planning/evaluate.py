"""A residual at one point: what it reads is recorded, planned, propagated and given to it."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.api.apply import after_propagation
from dof.errors import ArgumentError, describe
from dof.operators.coefficients import Evaluated, dense
from dof.operators.coordinates import Space
from dof.options import DEFAULT
from dof.pde.notation.derivatives import Applied, First, Gradient, Read, Second
from dof.pde.planning.linear_terms import affine_reads
from dof.pde.planning.merge import contribution, merges_of
from dof.pde.planning.plan import Plan, Planned, gradient_places, make_plan
from dof.triples.readout import full_triple, value_as_array


def by_propagation(problem: Any, net: Callable[[Any], Any], point: Any, parameters: Any) -> Any:
    """All derivatives from one propagation."""
    shape = jax.eval_shape(net, point)
    _require_fields(problem, shape)
    plan, operators = plan_of(problem, shape, point, parameters)
    value, tangents, applied = _propagated(net, plan, operators, point)

    def given(read: Read) -> Any:
        if read in plan.merged:
            return jnp.zeros(_shape_of(read, value), value.dtype)
        if read in plan.sums:
            return sum(weight * applied[k] for weight, k in plan.sums[read])
        if isinstance(read, Gradient):
            return _gradient(net, plan, read, point, tangents)
        assert isinstance(read, First)
        k, scale = plan.along[read.i]
        return tangents[k] / scale

    rest, tree = jax.tree.flatten(problem.run(given, value, point, parameters))
    if plan.merged:
        places = zip(rest, plan.where, strict=True)
        rest = [leaf + contribution(where, leaf.shape, applied[: where.shape[-1]]) for leaf, where in places]
    return jax.tree.unflatten(tree, rest)


def by_hessian(problem: Any, net: Callable[[Any], Any], point: Any, parameters: Any) -> Any:
    """All derivatives from the gradient and the whole Hessian of the network, by nested differentiation."""
    value = net(point)
    _require_fields(problem, value)
    reads = reads_of(problem, value, point, parameters)
    first = jax.jacfwd if jnp.iscomplexobj(value) else jax.jacrev
    has_second = any(isinstance(read, (Second, Applied)) for read in reads)
    gradient: Any = first(net)(point) if reads else None
    hessian: Any = jax.jacfwd(first(net))(point) if has_second else None

    def given(read: Read) -> Any:
        if isinstance(read, First):
            return gradient[..., read.i]
        if isinstance(read, Gradient):
            return gradient[..., np.array(read.places)]
        if isinstance(read, Applied):
            return _densely(read.operator.at(point, Space.of(point)), value, gradient, hessian)
        i, j = np.array(read.pairs).T
        return hessian[..., i, j].sum(axis=-1)

    return problem.run(given, value, point, parameters)


def _densely(operator: Evaluated, value: Any, gradient: Any, hessian: Any) -> Any:
    """Σ a_ij ∂²u/∂x_i∂x_j + Σ b_i ∂u/∂x_i + c u"""
    parts = [(dense(matrix) * hessian).sum(axis=(-2, -1)) for matrix in operator.a]
    parts += [] if operator.b is None else [(operator.b * gradient).sum(axis=-1)]
    parts += [] if operator.c is None else [operator.c * value]
    return sum(parts, jnp.zeros_like(value))


def _require_fields(problem: Any, value: Any) -> None:
    expected = () if problem.is_single else (problem.fields.count,)
    if getattr(value, "shape", None) != expected:
        found = f"returns {value if not hasattr(value, 'shape') else f'shape {value.shape}'}"
        fix = "net = lambda z: network(z)[0]" if problem.is_single else f"net = lambda z: network(z)  # {expected}"
        raise ArgumentError(describe("net", found, f"shape {expected} for the fields {problem.fields}", fix))


@dataclass(frozen=True)
class _AtPoint:
    """An operator whose coefficients have been evaluated."""

    coefficients: Evaluated

    def at(self, x: Any, space: Space) -> Evaluated:
        return self.coefficients


def _propagated(net: Callable[[Any], Any], plan: Plan, operators: list[Evaluated], point: Any) -> tuple[Any, Any, Any]:
    """(value, tangents, operators applied)"""
    if not operators:
        return net(point), None, ()
    wants_tangents = any(isinstance(read, (First, Gradient)) and read not in plan.merged for read in plan.reads)

    def read(p: Any) -> Any:
        tangents = p.each(lambda out: full_triple(out, p.form, p.readings).tangents) if wants_tangents else None
        return p.each(value_as_array), tangents, tuple(p.each(reading.of) for reading in p.readings)

    return after_propagation(net, list(map(_AtPoint, operators)), 0, DEFAULT, read, wants_tangents)(point)


def _gradient(net: Callable[[Any], Any], plan: Plan, read: Gradient, point: Any, tangents: Any) -> Any:
    """Off the tangents, or by reverse differentiation where these have other directions."""
    places = gradient_places(plan, read)
    if places is None:
        return jax.jacrev(net)(point)[..., jnp.asarray(read.places)]
    directions, scales = places
    return jnp.moveaxis(tangents[directions], 0, -1) / scales


def reads_of(problem: Any, value: Any, point: Any, parameters: Any) -> tuple[Read, ...]:
    """From a run that only records what is read."""
    reads: dict[Read, None] = {}

    def record(read: Read) -> Any:
        reads[read] = None
        return jnp.zeros(_shape_of(read, value), value.dtype)

    jax.eval_shape(lambda value, point: problem.run(record, value, point, parameters), value, point)
    return tuple(reads)


def plan_of(problem: Any, value: Any, point: Any, parameters: Any) -> Planned:
    """`value` has the shape and the type of the network's."""
    found = reads_of(problem, value, point, parameters)
    structs = [jax.ShapeDtypeStruct(_shape_of(read, value), value.dtype) for read in found]

    def of_reads(derivatives: Any, value: Any, point: Any) -> Any:
        given = dict(zip(found, derivatives, strict=True))
        return problem.run(lambda read: given[_require_same(read, given)], value, point, parameters)

    affine = affine_reads(jax.make_jaxpr(of_reads)(structs, value, point), [*range(len(found)), -1, None])
    merged = [k for k in sorted(affine) if not isinstance(found[k], Gradient)]

    def of_merged(derivatives: Any, point: Any) -> Any:
        every = [jnp.zeros(struct.shape, struct.dtype) for struct in structs]
        for k, derivative in zip(merged, derivatives, strict=True):
            every[k] = derivative
        return of_reads(every, jnp.zeros(value.shape, value.dtype), point)

    merges = merges_of(of_merged, [found[k] for k in merged], [structs[k] for k in merged], point)
    return make_plan(point, found, merges)


def _require_same(read: Read, reads: Container[Read]) -> Read:
    """The residual is run more than once, and is to read the same each time."""
    if read not in reads:
        found, fix = (
            "is an operator made inside of the residual",
            "u.apply(g * L) as g * u.apply(L), with L made outside",
        )
        raise ArgumentError(describe("apply", found, "one that is the same whenever the residual is run", fix))
    return read


def _shape_of(read: Read, value: Any) -> tuple[int, ...]:
    return (*value.shape, len(read.places)) if isinstance(read, Gradient) else value.shape

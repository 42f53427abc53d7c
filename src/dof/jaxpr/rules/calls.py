"""Calls: the inner program is walked in place. Those with a derivative of their own keep it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec

from dof.jax_compat import Primitive, program_of, vary_like
from dof.jaxpr.elementwise_derivatives import Traced
from dof.jaxpr.elementwise_programs import nonlinear_steps
from dof.jaxpr.nested_jvp import Function, function_of
from dof.jaxpr.registry import Rule, register_named
from dof.jaxpr.rules.determinant import is_slogdet, log_determinant
from dof.jaxpr.rules.elementwise import elementwise_function, trace_elementwise
from dof.jaxpr.rules.general import general
from dof.sparsity.modes import framed, pointwise
from dof.triples.tangents import has_tangents
from dof.triples.triple import Triple, is_smooth, zeros_stacked


def inline_rule(primitive: Primitive) -> Rule:
    """Walk the inner program on the operands."""
    return lambda walk, *operands, **params: walk(program_of(params), operands)


# Forward differentiation never meets the rules of a custom_vjp: its primal is what is differentiated. A custom_vmap
# says how to run a function, not what it is, and JAX does not batch its second derivatives right.
register_named("closed_call call custom_vjp_call composite custom_vmap_call", "call", inline_rule, structured=True)


def jit_rule(primitive: Primitive) -> Rule:
    """Activations are often jitted chains of elementwise steps: those are cheaper as one elementwise function."""

    def rule(walk: Any, *operands: Any, **params: Any) -> Sequence[Any]:
        function, varying = function_of(primitive, params), [isinstance(o, Triple) for o in operands]
        is_chain = sum(varying) == 1 and (nonlinear_steps(program_of(params), varying) or 0) > 1
        traced = trace_elementwise(function, operands) if is_chain else None
        if traced is None:
            return walk(program_of(params), operands)
        return _elementwise(walk, function, operands, traced)

    return rule


def custom_jvp_rule(primitive: Primitive) -> Rule:
    """Differentiated by the rule that it brings; elementwise or a determinant, if its program and that rule are."""

    def rule(walk: Any, *operands: Any, **params: Any) -> Sequence[Any]:
        function, varying = function_of(primitive, params), [isinstance(o, Triple) for o in operands]
        may_be = nonlinear_steps(program_of(params), varying) is not None
        traced = trace_elementwise(function, operands) if may_be else None
        if traced is not None:
            return _elementwise(walk, function, operands, traced)
        if is_slogdet(function, operands):
            return log_determinant(walk, function, *operands)
        return framed(walk, lambda plain, *inner: general(plain.form, function, inner), operands, {})

    return rule


def _elementwise(walk: Any, function: Function, operands: Sequence[Any], traced: Traced) -> Sequence[Any]:
    def rule(plain: Any, *inner: Any) -> list[Any]:
        return elementwise_function(plain.form, function, inner, traced)

    shape = next(o.shape for o in operands if isinstance(o, Triple))
    found = pointwise(walk, rule, operands, {}, shape) if any(map(has_tangents, operands)) else None
    return framed(walk, rule, operands, {}) if found is None else found


def checkpoint_rule(primitive: Primitive) -> Rule:
    """The walk through the inner program is itself checkpointed, under the same policy."""

    def rule(walk: Any, *operands: Any, jaxpr: Any, prevent_cse: Any, policy: Any, **_: Any) -> Sequence[Any]:
        through = jax.checkpoint(lambda *inner: walk(jaxpr, inner), prevent_cse=prevent_cse, policy=policy)
        return through(*operands)

    return rule


def shard_map_rule(primitive: Primitive) -> Rule:
    """Each device walks on its own shard. Directions and channels are not sharded: their axis in front is whole."""

    def rule(walk: Any, *operands: Any, jaxpr: Any, in_specs: Any, out_specs: Any, **params: Any) -> Sequence[Any]:
        smooth = [is_smooth(v.aval) for v in jaxpr.outvars]

        def through(form: Any, *shards: Any) -> list[Any]:
            outs = walk.with_form(form)(jaxpr, shards)
            return [_full(form, out) if s else out for out, s in zip(outs, smooth, strict=True)]

        return jax.shard_map(
            through,
            mesh=params["mesh"],
            in_specs=(PartitionSpec(), *map(_spec_of_operand, in_specs, operands)),
            out_specs=[_spec_of_triple(spec) if s else spec for spec, s in zip(out_specs, smooth, strict=True)],
            axis_names=params["newly_manual_axes"],
            check_vma=params["check_vma"],
        )(walk.form, *operands)

    return rule


def _full(form: Any, result: Any) -> Triple:
    """With zeros written out: which parts are zero cannot be known outside of the map."""
    x = result if isinstance(result, Triple) else Triple(result, None, None)
    parts = ((x.tangents, form.directions), (x.applied, form.channels))
    filled = (zeros_stacked(count, x.value) if part is None else vary_like(part, x.value) for part, count in parts)
    return Triple(x.value, *filled)


def _spec_of_operand(spec: PartitionSpec, operand: Any) -> Any:
    is_triple = isinstance(operand, Triple)
    return operand.map(lambda _: spec, lambda _: PartitionSpec(None, *spec)) if is_triple else spec


def _spec_of_triple(spec: PartitionSpec) -> Any:
    return _spec_of_operand(spec, Triple(*3 * (np.zeros(()),)))


register_named("jit", "call", jit_rule, structured=True)
register_named("custom_jvp_call", "call", custom_jvp_rule, structured=True)
register_named("remat2", "call", checkpoint_rule, structured=True)
register_named("shard_map", "call", shard_map_rule)

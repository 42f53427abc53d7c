"""`shard_map`: each device propagates its own shard through the inner program.

Directions and channels are not sharded: their axis in front is whole on every device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec

from dof.jax_compat import Primitive, axes_of_shard_map, program_of, vary_like
from dof.jaxpr.registry import InnerPrograms, register_named
from dof.sparsity.modes import StackContext
from dof.triples.rule_context import Rule
from dof.triples.stack_arithmetic import zeros_stacked
from dof.triples.triple import Triple, depends_on_x, is_smooth


def shard_map_rule(primitive: Primitive) -> Rule:
    """A shard_map over the same mesh, inside of which triples are propagated through the inner program."""

    def rule(
        context: StackContext, *operands: Any, jaxpr: Any, in_specs: Any, out_specs: Any, **params: Any
    ) -> Sequence[Any]:
        smooth = [is_smooth(v.aval) for v in jaxpr.outvars]

        def through(form: Any, *shards: Any) -> list[Any]:
            outs = context.with_form(form)(jaxpr, shards)
            return [_full(form, out) if s else out for out, s in zip(outs, smooth, strict=True)]

        return jax.shard_map(
            through,
            mesh=params["mesh"],
            in_specs=(PartitionSpec(), *map(_spec_of_operand, in_specs, operands)),
            out_specs=[_spec_of_triple(spec) if s else spec for spec, s in zip(out_specs, smooth, strict=True)],
            axis_names=axes_of_shard_map(params),
            check_vma=params["check_vma"],
        )(context.form, *operands)

    return rule


def _full(form: Any, result: Any) -> Triple:
    """A result with zeros written out: which parts are zero cannot be known outside of the map."""
    x = result if depends_on_x(result) else Triple(result, None, None)
    parts = ((x.tangents, form.directions), (x.applied, form.channels))
    filled = (zeros_stacked(count, x.value) if part is None else vary_like(part, x.value) for part, count in parts)
    return Triple(x.value, *filled)


def _spec_of_operand(spec: PartitionSpec, operand: Any) -> Any:
    is_triple = isinstance(operand, Triple)
    return operand.map(lambda _: spec, lambda _: PartitionSpec(None, *spec)) if is_triple else spec


def _spec_of_triple(spec: PartitionSpec) -> Any:
    return _spec_of_operand(spec, Triple(*3 * (np.zeros(()),)))


# On stacks, not slots: the index of slots is part of the program, and all devices run the same program.
register_named("shard_map", "call", shard_map_rule, inner=InnerPrograms(lambda params: [program_of(params)]))

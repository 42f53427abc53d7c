"""Calls: triples are propagated through the inner program. A function that brings its own derivative keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from dof.jax_compat import Primitive, program_of
from dof.jaxpr.elementwise_nested_jvp import TracedDerivatives
from dof.jaxpr.elementwise_programs import nonlinear_steps
from dof.jaxpr.first_order_rules import Function, function_of
from dof.jaxpr.registry import InnerPrograms, register_named
from dof.jaxpr.rules.determinant import is_slogdet, log_determinant
from dof.jaxpr.rules.elementwise import elementwise_function, trace_elementwise
from dof.jaxpr.rules.general import general
from dof.sparsity.modes import framed, per_element
from dof.triples.rule_context import Rule, RuleContext, SlotContext
from dof.triples.triple import depends_on_x, has_tangents


def inline_rule(primitive: Primitive) -> Rule:
    """Propagate the operands through the inner program."""
    return lambda context, *operands, **params: context(program_of(params), operands)


def jit_rule(primitive: Primitive) -> Rule:
    """Propagate the operands through the inner program, or take it as one elementwise function.

    Activations are often jitted chains of several elementwise steps, which are cheaper as one: the form is summed once.
    """

    def rule(context: SlotContext, *operands: Any, **params: Any) -> Sequence[Any]:
        function, varying = function_of(primitive, params), list(map(depends_on_x, operands))
        is_chain = sum(varying) == 1 and (nonlinear_steps(program_of(params), varying) or 0) > 1
        traced = trace_elementwise(function, operands) if is_chain else None
        if traced is None:
            return context(program_of(params), operands)
        return _as_elementwise(context, function, operands, traced)

    return rule


def custom_jvp_rule(primitive: Primitive) -> Rule:
    """Differentiate by the derivative that the function brings.

    Elementwise functions and log |det| have rules of their own; all others take the general rule.
    """

    def rule(context: SlotContext, *operands: Any, **params: Any) -> Sequence[Any]:
        function, varying = function_of(primitive, params), list(map(depends_on_x, operands))
        may_be = nonlinear_steps(program_of(params), varying) is not None
        traced = trace_elementwise(function, operands) if may_be else None
        if traced is not None:
            return _as_elementwise(context, function, operands, traced)
        if is_slogdet(program_of(params), function, operands):
            return log_determinant(context, *operands)
        return framed(context, lambda stacks, *inner: general(stacks.form, function, inner), operands, {})

    return rule


def _as_elementwise(
    context: SlotContext, function: Function, operands: Sequence[Any], traced: TracedDerivatives
) -> Sequence[Any]:
    def rule(stacks: RuleContext, *inner: Any) -> list[Any]:
        return elementwise_function(stacks.form, function, inner, traced)

    shape = next(o.shape for o in operands if depends_on_x(o))
    # Without tangents there are no slots to merge, only what is applied.
    found = per_element(context, rule, operands, {}, shape) if any(map(has_tangents, operands)) else None
    return framed(context, rule, operands, {}) if found is None else found


def checkpoint_rule(primitive: Primitive) -> Rule:
    """Propagate the operands through the inner program, inside of a checkpoint with the same policy."""

    def rule(
        context: SlotContext, *operands: Any, jaxpr: Any, prevent_cse: Any, policy: Any, **_: Any
    ) -> Sequence[Any]:
        through = jax.checkpoint(lambda *inner: context(jaxpr, inner), prevent_cse=prevent_cse, policy=policy)
        return through(*operands)

    return rule


def _inner(params: dict[str, Any]) -> list[Any]:
    return [program_of(params)]


# Forward differentiation never meets the rules of a custom_vjp: its primal is what is differentiated. A custom_vmap
# says how to run a function, not what it is, and JAX does not batch its second derivatives right.
INLINED = InnerPrograms(_inner, is_inlined=True)
register_named("closed_call call custom_vjp_call composite", "call", inline_rule, takes_slots=True, inner=INLINED)
register_named("custom_vmap_call", "call", inline_rule, takes_slots=True, inner=InnerPrograms(_inner))
register_named(
    "jit",
    "call",
    jit_rule,
    takes_slots=True,
    inner=InnerPrograms(_inner, is_inlined=True, may_be_elementwise=True),
    is_linear=lambda params, varying: nonlinear_steps(program_of(params), varying) == 0,
)
# A custom_vjp is not among those that may be elementwise, because nested jvp cannot go through it.
CUSTOM_JVP = InnerPrograms(_inner, may_be_elementwise=True)
register_named("custom_jvp_call", "call", custom_jvp_rule, takes_slots=True, inner=CUSTOM_JVP)
register_named("remat2", "call", checkpoint_rule, takes_slots=True, inner=InnerPrograms(_inner))

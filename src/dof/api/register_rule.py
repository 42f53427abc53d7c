"""Rules that users bring: for a primitive, or for a function of theirs, found by identity and never by name."""

from __future__ import annotations

from typing import Any

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.jax_compat import Primitive
from dof.jaxpr.first_order_rules import linear_rule, piecewise_rule
from dof.jaxpr.function_primitive import with_rule
from dof.jaxpr.registry import Record, record_of, register
from dof.jaxpr.rule_modes import USERS
from dof.jaxpr.rules.constant import constant_rule
from dof.jaxpr.rules.elementwise import nested_rule
from dof.jaxpr.rules.general import general_rule
from dof.triples.rule_context import Rule

FAMILIES = {
    "constant": constant_rule,
    "linear": linear_rule,
    "piecewise linear": piecewise_rule,
    "elementwise": nested_rule,
    "general": general_rule,
}


def register_rule(target: Any, rule: Rule | str, *, overwrite: bool = False) -> Any:
    """Say how `target` is propagated.

    Args:
        target: a primitive of JAX, or a function of arrays.
        rule: for a primitive, the name of a family ("constant", "linear", "piecewise linear", "elementwise",
            "general"); or rule(context, *operands, **params) that returns a list with one entry per result. An operand
            is a `dof.Triple` if it depends on x and a plain array if not; so is a result.
            `context.form.contract(g, h)` is Σ_kl q_kl g_k h_l of two stacks of tangents, one entry for each operator.
        overwrite: whether to replace the rule that a primitive has already; otherwise that is refused.

    Returns:
        What to use in place of `target`: the primitive itself, or a function with the same results that is traced as
        one equation, with the rule attached to it.

    Raises:
        ArgumentError: if the primitive has a rule already and `overwrite` is not set.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> def rule(context, x):
        ...     curvature = 6 * context.form.contract(x.tangents, x.tangents)
        ...     applied = curvature if x.applied is None else 6 * x.value * x.applied + curvature
        ...     return [dof.Triple(3 * x.value**2, 6 * x.value * x.tangents, applied)]
        >>> f = dof.register_rule(lambda x: 3 * x**2, rule)
        >>> print(dof.laplacian(lambda x: jnp.sum(f(x)))(jnp.ones(4)))
        24.0
    """
    if isinstance(target, Primitive):
        record = _record(target, rule)
        _require_free(target, overwrite)
        register(target, record, overwrite)
        return target
    if not callable(target) or not callable(rule):
        found = f"is of type {type(target).__name__}, with a rule of type {type(rule).__name__}"
        expected = "a primitive with a rule or a family, or a function with a rule"
        raise ArgumentTypeError(describe("target", found, expected, "f = dof.register_rule(f, rule)"))
    return with_rule(target, rule)


def _require_free(primitive: Primitive, overwrite: bool) -> None:
    known = record_of(primitive)
    if known is not None and not overwrite:
        found = f"is `{primitive.name}`, which has a rule of the family {known.family!r} already"
        fix = "dof.register_rule(primitive, rule, overwrite=True)"
        raise ArgumentError(describe("target", found, "a primitive without one, or `overwrite=True`", fix))


def _record(primitive: Primitive, rule: Rule | str) -> Record:
    if callable(rule):
        return Record(USERS, rule)
    if rule not in FAMILIES:
        fix = 'dof.register_rule(primitive, "linear")'
        raise ArgumentError(describe("rule", f"is {shown(rule)}", f"a function or one of {', '.join(FAMILIES)}", fix))
    # Primitives of other families may mix elements, so that slots end there.
    return Record(rule, FAMILIES[rule](primitive), is_elementwise=rule == "elementwise")

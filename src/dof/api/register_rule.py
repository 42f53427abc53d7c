"""Rules that users bring: for a primitive, or for a function of theirs, found by identity and never by name."""

from __future__ import annotations

from typing import Any

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.jax_compat import Primitive
from dof.jaxpr.function_primitive import marked
from dof.jaxpr.nested_jvp import linear_rule, piecewise_rule
from dof.jaxpr.registry import Rule, register
from dof.jaxpr.rules.constant import constant_rule
from dof.jaxpr.rules.elementwise import nested_rule
from dof.jaxpr.rules.general import general_rule

FAMILIES = {
    "constant": constant_rule,
    "linear": linear_rule,
    "piecewise linear": piecewise_rule,
    "elementwise": nested_rule,
    "general": general_rule,
}


def register_rule(target: Any, rule: Rule | str) -> Any:
    """Say how `target` is propagated; returns what to use in its place.

    target: a primitive of JAX, returned as it is; or a function of arrays, for which a function is returned that
        leaves its mark in every program it is traced into.
    rule: for a primitive, the name of a family ("constant", "linear", "piecewise linear", "elementwise", "general");
        or rule(walk, *operands, **params) that returns a list with one entry per result. An operand is a `dof.Triple`
        if it depends on x and a plain array if not; so is a result. `walk.form.contract(g, h)` sums the products of
        two stacks of tangents over the directions, as A has it.

    >>> import dof, jax.numpy as jnp
    >>> def rule(walk, x):
    ...     curvature = 6 * walk.form.contract(x.tangents, x.tangents)
    ...     applied = curvature if x.applied is None else 6 * x.value * x.applied + curvature
    ...     return [dof.Triple(3 * x.value**2, 6 * x.value * x.tangents, applied)]
    >>> f = dof.register_rule(lambda x: 3 * x**2, rule)
    >>> print(dof.laplacian(lambda x: jnp.sum(f(x)))(jnp.ones(4)))
    24.0
    """
    if isinstance(target, Primitive):
        register(target, *_entry(target, rule))
        return target
    if not callable(target) or not callable(rule):
        found = f"is of type {type(target).__name__}, with a rule of type {type(rule).__name__}"
        expected = "a primitive with a rule or a family, or a function with a rule"
        raise ArgumentTypeError(describe("target", found, expected, "f = dof.register_rule(f, rule)"))
    return marked(target, rule)


def _entry(primitive: Primitive, rule: Rule | str) -> tuple[str, Rule, bool]:
    if callable(rule):
        return "registered", rule, False
    if rule not in FAMILIES:
        fix = 'dof.register_rule(primitive, "linear")'
        raise ArgumentError(describe("rule", f"is {rule!r}", f"a function or one of {', '.join(FAMILIES)}", fix))
    return rule, FAMILIES[rule](primitive), rule == "elementwise"

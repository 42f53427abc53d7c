"""Elementwise: each position of the result depends on that position of the operands.

    g' = Σ_i f_i g_i,     s' = Σ_i f_i s_i + Σ_ij f_ij Σ_kl q_kl g_ik g_jl

The derivatives f_i, f_ij are as large as the value only. They are written by hand (`elementwise_by_hand.py`) or
found by nested jvp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp

from dof.jax_compat import Primitive, bind
from dof.jaxpr.elementwise_nested_jvp import Derivatives, TracedDerivatives, derivatives_of_primitive, trace_derivatives
from dof.jaxpr.elementwise_programs import nonlinear_steps
from dof.jaxpr.first_order_rules import Function, parts_of
from dof.jaxpr.registry import register_named
from dof.jaxpr.rules.general import general_rule
from dof.none_as_zero import add
from dof.triples.rule_context import Rule, RuleContext
from dof.triples.slot_form import AnyForm
from dof.triples.stack_arithmetic import aligned, broadcast_stack
from dof.triples.triple import Triple, is_smooth, value_of, varying_operands


def elementwise(form: AnyForm, value: Any, operands: Sequence[Any], found: Derivatives) -> Any:
    """The triple of the result of an elementwise function.

    Args:
        form: the quadratic form of the directions.
        value: the result.
        operands: the operands, triples or plain arrays.
        found: the derivatives of the result in the operands that vary.
    """
    tangents, applied = ([aligned(p, value) for p in part] for part in parts_of(operands))
    pushed = [_weighted(found.first, part) for part in (tangents, applied)]
    for (i, j), second in found.second.items():
        # An operand may have something applied to it and no tangents, as a value that passed a cut.
        if tangents[i] is not None and tangents[j] is not None and form.meets(i, j):
            pushed[1] = add(pushed[1], second * form.contract(tangents[i], tangents[j]))
    return Triple.or_constant(value, *(_typed(broadcast_stack(p, value), value) for p in pushed))


def _weighted(first: dict[int, Any], parts: Sequence[Any]) -> Any:
    """Σ_i f_i p_i."""
    total = None
    for i, derivative in first.items():
        total = add(total, None if parts[i] is None else derivative * parts[i])
    return total


def _typed(part: Any, value: Any) -> Any:
    """Derivatives in the dtype of the result, which a function may have changed."""
    return None if part is None else part.astype(jnp.result_type(value))


def trace_elementwise(function: Function, operands: Sequence[Any]) -> TracedDerivatives | None:
    """The traced derivatives of a function that is no primitive; None if they are not elementwise."""
    values, varying = [value_of(o) for o in operands], varying_operands(operands)
    if any(map(jnp.iscomplexobj, values)):
        return None  # not every elementwise function is differentiable in the complex sense
    traced = trace_derivatives(function, varying, values)
    depends = [i in varying for i in range(len(operands))] + [True] * len(varying)
    # A function that looks elementwise may bring a derivative that is not: the derivatives are looked at too.
    return None if nonlinear_steps(traced.jaxpr, depends) is None else traced


def elementwise_function(
    form: AnyForm, function: Function, operands: Sequence[Any], traced: TracedDerivatives
) -> list[Any]:
    """The triples of an elementwise function whose derivatives were traced."""
    values = function(*map(value_of, operands))
    found = iter(traced.at([value_of(o) for o in operands]))
    return [elementwise(form, v, operands, next(found)) if is_smooth(v) else v for v in values]


def nested_rule(primitive: Primitive) -> Rule:
    """The rule of an elementwise primitive by nested jvp."""

    def rule(context: RuleContext, *operands: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [value_of(o) for o in operands], params)
        return [elementwise(context.form, value, operands, derivatives_of_primitive(primitive, params, operands))]

    return rule


def by_hand(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register an elementwise primitive of one operand by (x, y, **params) ↦ (f'(x), f''(x)), where y = f(x)."""

    def decorate(first_and_second: Callable[..., Any]) -> Callable[..., Any]:
        register_named(name, "elementwise", lambda p: _handwritten_rule(p, first_and_second), is_elementwise=True)
        return first_and_second

    return decorate


def _handwritten_rule(primitive: Primitive, first_and_second: Callable[..., Any]) -> Rule:
    def rule(context: RuleContext, x: Any, **params: Any) -> list[Any]:
        (value,) = bind(primitive, [x.value], params)
        first, second = first_and_second(x.value, value, **params)
        return [elementwise(context.form, value, [x], Derivatives({0: first}, {(0, 0): second}))]

    return rule


def abs_rule(primitive: Primitive) -> Rule:
    """|x|, by nested jvp for real x; for complex x, where it is not complex differentiable, by the general rule."""
    of_real, of_complex = nested_rule(primitive), general_rule(primitive)
    return lambda context, x, **params: (of_complex if jnp.iscomplexobj(x.value) else of_real)(context, x, **params)


register_named("abs", "elementwise", abs_rule, is_elementwise=True)
register_named(
    "acos acosh asin asinh atan atan2 atanh bessel_i0e bessel_i1e cbrt cosh digamma erf_inv erfc igamma "
    "igammac integer_pow lgamma polygamma pow regularized_incomplete_beta sinh tan zeta igamma_grad_a "
    "log2 one_minus_square nextafter",
    "elementwise",
    nested_rule,
    is_elementwise=True,
)

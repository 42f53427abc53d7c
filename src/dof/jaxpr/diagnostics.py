"""Errors of a propagation: the equation, its source line, and whether JAX itself could differentiate it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NoReturn

import jax
import numpy as np

from dof.errors import ArgumentError, NotDifferentiableError, describe
from dof.jax_compat import JaxprEqn, shape_of, source_line
from dof.jaxpr.first_order_rules import Function, function_of, restrict
from dof.triples.rule_context import Rule, RuleContext
from dof.triples.slot_form import AnyForm
from dof.triples.triple import applied_of, is_smooth, tangents_of, value_of, varying_operands


def refuse_reference(eqn: JaxprEqn) -> NoReturn:
    """Refuse a write to a mutable reference from outside, which would hold a value without its derivatives."""
    place = f"`{eqn.primitive.name}` at {source_line(eqn)}"
    found = f"writes a value that depends on x to a mutable reference from outside ({place})"
    fix = "create the reference inside f, or return the value and write it outside"
    raise NotDifferentiableError(describe("f", found, "a function without side effects of this kind", fix))


def raise_with_source(eqn: JaxprEqn, operands: Sequence[Any], error: Exception, order: int) -> NoReturn:
    """Raise an error that occurred in an equation.

    If JAX cannot differentiate the equation as often as `order` says, the error says so, with primitive and source
    line. Any other error is raised as it is, with a note of the place.
    """
    place = f"primitive `{eqn.primitive.name}` at {source_line(eqn)}"
    if is_differentiable(function_of(eqn.primitive, eqn.params), operands, error, order):
        error.add_note(f"dof was propagating through the {place}.")
        raise error
    reason = str(error) or type(error).__name__
    found = f"applies the {place} to a value that depends on x, and JAX cannot differentiate it: {reason}"
    fix = "wrap it in `jax.custom_jvp`, or give its argument to `jax.lax.stop_gradient` if it shall count as constant"
    often = "twice differentiable" if order == 2 else f"differentiable {order} times"
    raise NotDifferentiableError(describe("f", found, f"a function that is {often}", fix)) from error


def is_differentiable(function: Function, operands: Sequence[Any], error: Exception, order: int) -> bool:
    """Whether JAX can differentiate `function` as often as `order` says, so that `error` has another cause.

    Some derivatives of JAX can be traced, but not compiled: they keep a value of an earlier trace. So the derivative is
    lowered as well, and if that fails with an error of the same type, that is the cause. Texts may differ: Pallas tells
    how many operands it counted.
    """
    active = varying_operands(operands)
    values = [jax.ShapeDtypeStruct(np.shape(v), jax.numpy.result_type(v)) for v in map(value_of, operands)]
    smooth = [i for i, value in enumerate(jax.eval_shape(function, *values)) if is_smooth(value)]

    def derivative(*values: Any) -> Any:
        of_active, primals = restrict(function, values, active, smooth)
        # Any tangents of the right types will do, and the primals are at hand.
        along = lambda g, _: lambda *w: jax.jvp(g, w, primals)[1]  # noqa: E731
        return reduce(along, range(order), of_active)(*primals)

    try:
        jax.eval_shape(derivative, *values)
    except Exception:
        return False
    try:
        jax.jit(derivative).lower(*values)
    except Exception as found:
        return type(found) is not type(error)
    return True


def checked(rule: Rule, eqn: JaxprEqn) -> Rule:
    """A user's rule, whose results are refused if they do not fit the equation."""

    def checking(context: RuleContext, *operands: Any, **params: Any) -> Any:
        results = rule(context, *operands, **params)
        _require_shapes(eqn, results, context.form)
        return results

    return checking


def _require_shapes(eqn: JaxprEqn, results: Sequence[Any], form: AnyForm) -> None:
    shapes = [shape_of(v) for v in eqn.outvars]
    found = [_shapes(result) for result in results]
    expected = [(shape, (form.directions, *shape), (form.channels, *shape)) for shape in shapes]
    # Not strict: the next line compares the lengths, for an error with a text of ours.
    fits = [all(f is None or f == e for f, e in zip(*pair, strict=True)) for pair in zip(found, expected, strict=False)]
    if len(found) != len(expected) or not all(fits):
        fix = "return [dof.Triple(value, tangents, applied)], stacked in front as those of the operands are"
        place = f"for `{eqn.primitive.name}` at {source_line(eqn)}"
        told = f"{place} returned the shapes {found} of value, tangents, applied"
        raise ArgumentError(describe("rule", told, f"one entry for each result: {expected}", fix))


def _shapes(result: Any) -> tuple[Any, ...]:
    parts = (value_of(result), tangents_of(result), applied_of(result))
    return tuple(None if part is None else np.shape(part) for part in parts)

"""A primitive that stands for a function with a rule of the user's: the function is traced as one equation.

To every other transformation it is the plain program; under vmap the rule is mapped too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax.interpreters import ad, batching, mlir

from dof.jax_compat import Closed, Primitive, as_function, hoist_constants
from dof.jaxpr.registry import InnerPrograms, Record, register
from dof.jaxpr.rule_modes import USERS
from dof.triples.rule_context import Rule, RuleContext
from dof.triples.triple import Triple, depends_on_x

function_p = Primitive("dof_function")
function_p.multiple_results = True


def with_rule(function: Callable[..., Any], rule: Rule) -> Callable[..., Any]:
    """`function`, of any pytrees of arrays, such that dof propagates it by `rule`.

    Arrays that the function closes over become operands in front, which the rule does not get.
    """

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree.flatten((args, kwargs))

        def of_leaves(*flat: Any) -> Any:
            args, kwargs = jax.tree.unflatten(tree, flat)
            return function(*args, **kwargs)

        traced, shapes = jax.make_jaxpr(of_leaves, return_shape=True)(*leaves)
        # As operands, closed-over arrays may be traced, mapped and differentiated like any other.
        jaxpr, consts = hoist_constants(traced)
        out = function_p.bind(*consts, *leaves, jaxpr=jaxpr, rule=rule, closed_over=len(consts))
        return jax.tree.unflatten(jax.tree.structure(shapes), out)

    return call


def _evaluate(*operands: Any, jaxpr: Closed, **_: Any) -> list[Any]:
    return as_function(jaxpr)(*operands)


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, jaxpr: Closed, **_: Any) -> Any:
    # JAX passes symbolic zeros here, which `jax.jvp` does not take.
    return jax.jvp(as_function(jaxpr), tuple(primals), tuple(map(ad.instantiate_zeros, tangents)))


def _batch(operands: Sequence[Any], axes: Sequence[Any], *, jaxpr: Closed, rule: Rule, closed_over: int) -> Any:
    function = jax.vmap(as_function(jaxpr), in_axes=tuple(axes))
    if any(axis is not None for axis in axes[:closed_over]):  # the rule knows nothing of what is closed over
        out = function(*operands)
        return out, [0] * len(out)
    mapped = jax.make_jaxpr(function)(*operands)
    mapped_rule = _map_rule(rule, tuple(axes[closed_over:]))
    out = function_p.bind(*operands, jaxpr=mapped, rule=mapped_rule, closed_over=closed_over)
    return out, [0] * len(out)


def _map_rule(rule: Rule, axes: tuple[int | None, ...]) -> Rule:
    """The rule mapped over an axis of the values; in a triple, directions or channels stand in front of that axis."""

    def mapped(context: RuleContext, *operands: Any) -> list[Any]:
        in_axes = [_axis_of(operand, axis) for operand, axis in zip(operands, axes, strict=True)]
        out = jax.vmap(lambda *inner: rule(context, *inner), in_axes=in_axes)(*operands)
        return [_directions_first(result) for result in out]

    return mapped


def _axis_of(operand: Any, axis: int | None) -> Any:
    if not isinstance(operand, Triple) or axis is None:
        return axis
    return operand.map(lambda _: axis, lambda _: axis + 1)


def _directions_first(result: Any) -> Any:
    is_triple = isinstance(result, Triple)
    # vmap puts its axis in front of everything, and a stack has directions or channels in front.
    return result.map(lambda v: v, lambda part: jnp.swapaxes(part, 0, 1)) if is_triple else result


def _users_rule(context: RuleContext, *operands: Any, jaxpr: Closed, rule: Rule, closed_over: int) -> Sequence[Any]:
    if any(map(depends_on_x, operands[:closed_over])):
        return context(jaxpr, operands)  # the rule knows nothing of a value that the function closes over
    return rule(context, *operands[closed_over:])


function_p.def_impl(_evaluate)
function_p.def_abstract_eval(lambda *_, jaxpr, **__: jaxpr.out_avals)
ad.primitive_jvps[function_p] = _jvp
batching.primitive_batchers[function_p] = _batch
mlir.register_lowering(function_p, mlir.lower_fun(_evaluate, multiple_results=True))
register(function_p, Record(USERS, _users_rule, inner=InnerPrograms(lambda params: [params["jaxpr"]])))

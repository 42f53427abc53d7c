"""Rules of primitives without second derivative, and the first derivatives of a function along all directions at once.

Here a function takes arrays and returns a list of arrays; stacked derivatives (r, *s) that are zero are None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from dof.jax_compat import Primitive, bind
from dof.triples.rule_context import RuleContext
from dof.triples.triple import Triple, applied_of, is_smooth, tangents_of, value_of

Function = Callable[..., list[Any]]
Push = Callable[[Function, Sequence[Any], Sequence[Any], Sequence[Any]], list[Any]]
"""(function, operands, derivatives of the operands, values of the results) ↦ derivatives of the results"""


def function_of(primitive: Primitive, params: dict[str, Any]) -> Function:
    """A primitive with its parameters as a function of arrays."""
    return lambda *operands: bind(primitive, operands, params)


def parts_of(operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """(tangents, applied) of the operands."""
    return [tangents_of(o) for o in operands], [applied_of(o) for o in operands]


def push_linear(function: Function, operands: Sequence[Any], parts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """F applied to each stacked part, for an F that is linear in all its floating operands together.

    Operands that are no floating numbers (indices, masks) keep their value.
    """
    if all(p is None for p in parts):
        return [None] * len(values)
    # An operand without derivative counts as zero in a linear map; integers (indices, masks) keep their values.
    at_rest = [jnp.zeros_like(v) if is_smooth(v) else v for v in map(value_of, operands)]
    filled = [rest if p is None else p for rest, p in zip(at_rest, parts, strict=True)]
    return jax.vmap(function, in_axes=[None if p is None else 0 for p in parts])(*filled)


def push_each(function: Function, operands: Sequence[Any], parts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """F applied to each stacked part, for an F that maps operand i linearly to result i."""
    active = active_among(parts)
    pushed = iter(jax.vmap(function)(*(parts[i] for i in active)) if active else ())
    return [next(pushed) if i in active else None for i in range(len(values))]


def push_jvp(function: Function, operands: Sequence[Any], parts: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """F'(v)[part] for each stacked part, by jvp."""
    active = active_among(parts)
    smooth = [i for i, value in enumerate(values) if is_smooth(value)]
    if not active or not smooth:
        return [None] * len(values)
    of_active, primals = restrict(function, operands, active, smooth)
    pushed = iter(each_direction(lambda *t: jax.jvp(of_active, primals, t)[1], *(parts[i] for i in active)))
    return [next(pushed) if i in smooth else None for i in range(len(values))]


def each_direction(function: Callable[..., Any], *stacked: Any) -> Any:
    """Apply `function` along every direction: all at once, or one after the other where JAX cannot batch it."""
    try:
        return jax.vmap(function)(*stacked)
    except (NotImplementedError, ValueError):  # which of them depends on the primitive; a true error comes again
        return lax.map(lambda along: function(*along), stacked)


def restrict(
    function: Function, operands: Sequence[Any], active: Sequence[int], results: Sequence[int]
) -> tuple[Function, tuple[Any, ...]]:
    """(function of the operands `active` alone that returns `results` only, the values of these operands)."""
    values = [value_of(operand) for operand in operands]

    def of_active(*actives: Any) -> list[Any]:
        full = list(values)
        for i, value in zip(active, actives, strict=True):
            full[i] = value
        out = function(*full)
        return [out[i] for i in results]

    return of_active, tuple(values[i] for i in active)


def active_among(parts: Sequence[Any]) -> list[int]:
    """The numbers of the derivatives that are not zero."""
    return [i for i, part in enumerate(parts) if part is not None]


@dataclass(frozen=True)
class FirstOrderRule:
    """The rule of a primitive without second derivative: g' = F'[g], s' = F'[s], where `push` is F'.

    Operators of higher order read `push` as well: it takes all columns of a jet.

    Attributes:
        primitive: the primitive.
        push: F', as a function of stacked derivatives.
        written: the primitive as a function (operands, **params) ↦ results, if it is to be written in another way.
    """

    primitive: Primitive
    push: Push
    written: Callable[..., list[Any]] | None = None

    def __call__(self, context: RuleContext, *operands: Any, **params: Any) -> list[Any]:
        """The triples of the results."""
        function = partial(self.written, **params) if self.written else function_of(self.primitive, params)
        values = function(*map(value_of, operands))
        tangents, applied = (self.push(function, operands, part, values) for part in parts_of(operands))
        return list(map(Triple.or_constant, values, tangents, applied))


def first_order_rule(push: Push) -> Callable[[Primitive], FirstOrderRule]:
    """The rules of primitives whose derivative is `push`."""
    return lambda primitive: FirstOrderRule(primitive, push)


linear_rule = first_order_rule(push_linear)
each_rule = first_order_rule(push_each)
piecewise_rule = first_order_rule(push_jvp)

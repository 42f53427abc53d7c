"""Taylor coefficients of elementwise functions by nested jvp, for functions without any written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import jax
import jax.numpy as jnp

from dof.jax_compat import as_function
from dof.jaxpr.elementwise_nested_jvp import along, vanishing
from dof.jaxpr.elementwise_programs import nonlinear_steps
from dof.jaxpr.first_order_rules import Function
from dof.triples.triple import is_smooth

MixedTaylor = dict[tuple[int, ...], Any]
"""∂^α f / α! by the sorted tuple α of the operands that are differentiated in; those that vanish are left out."""


def nested_taylor(
    function: Function, varying: Sequence[int], values: Sequence[Any], order: int, is_checked: bool = False
) -> list[MixedTaylor] | None:
    """The mixed Taylor coefficients of each floating result of an elementwise function.

    Args:
        function: a function of arrays that returns a list of arrays.
        varying: numbers of the operands that vary.
        values: the operands.
        order: the highest order.
        is_checked: whether to look if the derivatives are elementwise, as a function that brings its own may not be.

    Returns:
        One dict per floating result; None if the derivatives were looked at and are not elementwise.
    """
    indices = [a for k in range(1, order + 1) for a in combinations_with_replacement(varying, k)]

    def smooth(*operands: Any) -> list[Any]:
        return [value for value in function(*operands) if is_smooth(value)]

    def all_derivatives(*arguments: Any) -> list[list[Any]]:
        operands, tangents = arguments[: len(values)], dict(zip(varying, arguments[len(values) :], strict=True))
        by_index: dict[tuple[int, ...], Function] = {(): smooth}
        for a in indices:
            by_index[a] = along(by_index[a[:-1]], a[-1], tangents[a[-1]])
        return [by_index[a](*operands) for a in indices]

    ones = [jnp.ones_like(values[i]) for i in varying]
    jaxpr, shapes = jax.make_jaxpr(all_derivatives, return_shape=True)(*values, *ones)
    depends = [i in varying for i in range(len(values))] + [True] * len(varying)
    if is_checked and nonlinear_steps(jaxpr, depends) is None:
        return None
    evaluated = as_function(jaxpr)(*values, *ones)
    kept = [None if zero else e for e, zero in zip(evaluated, vanishing(jaxpr), strict=True)]
    by_index = jax.tree.unflatten(jax.tree.structure(shapes), kept)
    return [_without_zeros(indices, [found[n] for found in by_index]) for n in range(len(shapes[0]))]


def _without_zeros(indices: Sequence[tuple[int, ...]], derivatives: Sequence[Any]) -> MixedTaylor:
    pairs = zip(indices, derivatives, strict=True)
    return {a: d / prod(map(factorial, Counter(a).values())) for a, d in pairs if d is not None}

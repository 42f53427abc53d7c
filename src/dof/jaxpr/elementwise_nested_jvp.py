"""First and second derivatives of elementwise functions by nested jvp, traced once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.jax_compat import Closed, Literal, Primitive, as_function, parts
from dof.jaxpr.first_order_rules import Function, function_of
from dof.none_as_zero import add
from dof.triples.triple import is_smooth, value_of, varying_operands

KEPT_TRACES = 1024
"""How many traced derivatives are kept; a program has about ten different elementwise primitives."""


class Derivatives(NamedTuple):
    """The derivatives of an elementwise function f of several operands; one that is left out is zero everywhere.

    Attributes:
        first: f_i by the number i of an operand.
        second: f_ii, or f_ij + f_ji, by pairs (i, j) of operands with i ≤ j.
    """

    first: dict[int, Any]
    second: dict[tuple[int, int], Any]


class TracedDerivatives(NamedTuple):
    """The derivatives of an elementwise function as a program.

    Attributes:
        jaxpr: (operands, tangents of those that vary) ↦ all derivatives along these tangents.
        tree: structure of the results, a list of `Derivatives`.
        varying: numbers of the operands that vary.
    """

    jaxpr: Closed
    tree: Any
    varying: tuple[int, ...]

    def at(self, values: Sequence[Any]) -> list[Derivatives]:
        """The derivatives of each result, without those that the trace shows to be zero."""
        # Elements do not mix, so a tangent of ones gives the derivatives of all of them at once.
        evaluated = as_function(self.jaxpr)(*values, *(jnp.ones_like(values[i]) for i in self.varying))
        vanish = vanishing(self.jaxpr)
        found = jax.tree.unflatten(self.tree, [None if zero else e for e, zero in zip(evaluated, vanish, strict=True)])
        return [Derivatives(_without_none(f.first), _merge_mixed(_without_none(f.second))) for f in found]


def derivatives_of_primitive(primitive: Primitive, params: dict[str, Any], operands: Sequence[Any]) -> Derivatives:
    """The derivatives of an elementwise primitive at its operands."""
    values = [value_of(operand) for operand in operands]
    # Types of JAX, not shapes and dtypes alone: they also tell weak types, and devices that a value varies over.
    key = (primitive, tuple(sorted(params.items())), varying_operands(operands), tuple(map(jax.typeof, values)))
    (found,) = _traced_primitive(*key, jnp.result_type(float)).at(values)
    return found


@lru_cache(maxsize=KEPT_TRACES)
def _traced_primitive(
    primitive: Primitive, params: tuple[Any, ...], varying: tuple[int, ...], types: tuple[Any, ...], precision: Any
) -> TracedDerivatives:
    """A trace depends on whether float64 is enabled as well, so the default precision is part of the key."""
    return trace_derivatives(function_of(primitive, dict(params)), varying, types)


def trace_derivatives(function: Function, varying: tuple[int, ...], values: Sequence[Any]) -> TracedDerivatives:
    """Trace the derivatives of the floating results of `function` in the operands that vary.

    Args:
        function: an elementwise function of arrays that returns a list of arrays.
        varying: numbers of the operands that vary.
        values: the operands, or their types.
    """

    def smooth(*operands: Any) -> list[Any]:
        return [value for value in function(*operands) if is_smooth(value)]

    def all_derivatives(*arguments: Any) -> list[Derivatives]:
        # Tangents are arguments, not ones: `trace_elementwise` must see whether a user's derivative mixes them.
        operands, tangents = arguments[: len(values)], dict(zip(varying, arguments[len(values) :], strict=True))
        by_one = {i: along(smooth, i, tangents[i]) for i in varying}
        first = {i: by_one[i](*operands) for i in varying}
        pairs = [(i, j) for i in varying for j in varying]
        # Both orders are taken, because a custom_jvp may have mixed derivatives that are not symmetric.
        second = {(i, j): along(by_one[i], j, tangents[j])(*operands) for i, j in pairs}
        return [Derivatives(_nth(first, n), _nth(second, n)) for n in range(len(first[varying[0]]))]

    jaxpr, shapes = jax.make_jaxpr(all_derivatives, return_shape=True)(*values, *(values[i] for i in varying))
    return TracedDerivatives(jaxpr, jax.tree.structure(shapes), varying)


def along(function: Function, i: int, tangent: Any) -> Function:
    """The derivative along a tangent of operand i. A tangent of ones gives ∂f/∂(operand i), elementwise."""

    def derivative(*operands: Any) -> list[Any]:
        def of_one(operand: Any) -> list[Any]:
            return function(*operands[:i], operand, *operands[i + 1 :])

        return jax.jvp(of_one, (operands[i],), (tangent,))[1]

    return derivative


def _nth(entries: dict[Any, list[Any]], n: int) -> dict[Any, Any]:
    return {key: entry[n] for key, entry in entries.items()}


def _without_none(entries: dict[Any, Any]) -> dict[Any, Any]:
    return {key: entry for key, entry in entries.items() if entry is not None}


def _merge_mixed(second: dict[tuple[int, int], Any]) -> dict[tuple[int, int], Any]:
    """f_ij + f_ji by pair i ≤ j: a function with a derivative of its own may have two that differ."""
    merged: dict[tuple[int, int], Any] = {}
    for (i, j), entry in second.items():
        key = (min(i, j), max(i, j))
        merged[key] = add(merged.get(key), entry)
    return merged


def vanishing(jaxpr: Closed) -> list[bool]:
    """Which results are zero whatever the operands are: a literal zero, or one that was broadcast."""
    open_jaxpr, _ = parts(jaxpr)
    # JAX writes a derivative that vanishes as a zero that is broadcast to the shape of the operand.
    filled = {
        eqn.outvars[0]
        for eqn in open_jaxpr.eqns
        if eqn.primitive.name == "broadcast_in_dim" and _is_zero_literal(eqn.invars[0])
    }
    return [_is_zero_literal(v) or (not isinstance(v, Literal) and v in filled) for v in open_jaxpr.outvars]


def _is_zero_literal(atom: Any) -> bool:
    return isinstance(atom, Literal) and np.ndim(atom.val) == 0 and not atom.val

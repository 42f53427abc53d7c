"""The divergence of an expression in a residual, as div(k * grad(u)).

An expression is an array made of the fields, their derivatives and the coordinates. To differentiate it, the residual
is run again at a point that is shifted by ε: coordinates are x + ε, and every derivative D u that is read is
D u + Σ_i ε_i ∂_i D u. Its derivative in ε at zero, which JAX finds by the product and chain rules, is the whole
derivative, made of derivatives of u that are one order higher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, Higher, derivative_of, pair

Read = Callable[[Derivative], Any]
Call = Callable[[Read, Any, Any], Any]
"""A residual's function of what reads derivatives, the value of the network, and the point."""


class _Divergences:
    """The divergences that one run of a residual asks for, in their order."""

    def __init__(self, dimensions: int, given: Sequence[Any] | None = None) -> None:
        self.dimensions, self.given, self.expressions = dimensions, given, []

    def of(self, expression: Any) -> Any:
        shape = jnp.shape(expression)
        if not shape or shape[-1] != self.dimensions:
            found = f"has shape {shape} in {self.dimensions} dimensions"
            raise ArgumentError(
                describe("div", found, "an axis for the dimensions at the end", "pde.div(k * pde.grad(u))")
            )
        self.expressions.append(expression)
        return jnp.zeros(shape[:-1], expression.dtype) if self.given is None else self.given[len(self.expressions) - 1]


_ACTIVE: ContextVar[_Divergences | None] = ContextVar("divergences", default=None)


def divergence(expression: Any) -> Any:
    """Σ_i ∂ expression[..., i] / ∂x_i over the coordinates of space.

    Raises:
        ArgumentError: If it is asked for outside of a residual, or the last axis does not have the dimensions of space.
    """
    active = _ACTIVE.get()
    if active is None:
        found = "is asked for of an array outside of a residual"
        raise ArgumentError(describe("div", found, "an expression of fields in a residual", "pde.div(k * pde.grad(u))"))
    return active.of(jnp.asarray(expression))


def run_with_divergences(call: Call, read: Read, value: Any, point: Any, axes: Sequence[int]) -> Any:
    """Run a residual's function, in which `divergence` may be called.

    Args:
        call: The function.
        read: From a derivative to its value for all components of the network.
        value: The value of all components of the network.
        point: (coordinates,)
        axes: The coordinates of space.
    """
    out, expressions = _run(call, read, value, point, _Divergences(len(axes)))
    if not expressions:
        return out
    _require_independent(lambda given: _run(call, read, value, point, _Divergences(len(axes), given))[1], expressions)
    places = np.array(axes, np.int32)

    def shifted(shift: Any) -> Any:
        moved = lambda d: read(d) + sum(shift[k] * _further(read, d, i) for k, i in enumerate(axes))  # noqa: E731
        moved_value = value + sum(shift[k] * read(First(i)) for k, i in enumerate(axes))
        return _run(call, moved, moved_value, point.at[places].add(shift), _Divergences(len(axes)))[1]

    slopes = jax.jacfwd(shifted)(jnp.zeros(len(axes), jnp.result_type(point)))
    found = [jnp.trace(slope, axis1=-2, axis2=-1) for slope in slopes]
    return _run(call, read, value, point, _Divergences(len(axes), found))[0]


def _run(call: Call, read: Read, value: Any, point: Any, divergences: _Divergences) -> tuple[Any, list[Any]]:
    token = _ACTIVE.set(divergences)
    try:
        return call(read, value, point), divergences.expressions
    finally:
        _ACTIVE.reset(token)


def _further(read: Read, derivative: Derivative, i: int) -> Any:
    """∂/∂x_i of a derivative that is read."""
    if isinstance(derivative, First):
        return read(pair(derivative.i, i))
    if isinstance(derivative, Gradient):
        return jnp.stack([read(pair(j, i)) for j in derivative.places], axis=-1)
    if isinstance(derivative, Applied):
        found = "is of an expression with u.apply(L), whose derivatives are not known"
        raise ArgumentError(describe("div", found, "derivatives by name, as u.xx", "pde.div(k * pde.grad(u))"))
    if isinstance(derivative, Higher):
        return read(derivative_of((*derivative.monomial, i), derivative.laplacians, derivative.places))
    return sum(read(derivative_of((*monomial, i), 0, ())) for monomial in derivative.pairs)


def _require_independent(expressions_of: Callable[[Any], Any], expressions: Sequence[Any]) -> None:
    """Refuse a divergence of an expression in which another divergence of an expression is."""
    zeros = [jnp.zeros(e.shape[:-1], e.dtype) for e in expressions]
    jaxpr = jax.make_jaxpr(expressions_of)(zeros).jaxpr
    needed = {var for var in jaxpr.outvars if not hasattr(var, "val")}
    for equation in reversed(jaxpr.eqns):
        if needed & set(equation.outvars):
            needed |= {var for var in equation.invars if not hasattr(var, "val")}
    if needed & set(jaxpr.invars):
        found = "is of an expression in which there is the divergence of another expression"
        raise ArgumentError(describe("div", found, "one divergence, or that of a field", 'fields="u q[2]", pde.div(q)'))

"""Reductions that are not linear: written out as products and sums of pairs, which have rules of their own.

Sums are in `linear.py`, maxima and minima in `piecewise_linear.py`; softmax and logsumexp are made of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
from jax import lax

from dof.jax_compat import Primitive
from dof.jaxpr.registry import register_named
from dof.triples.rule_context import Rule


def rewritten(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a primitive by a function (x, **params) of other primitives that has the same result.

    Triples are propagated through that function.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def rule_for(primitive: Primitive) -> Rule:
            return lambda context, *operands, **params: context.through(lambda *x: [function(*x, **params)], operands)

        # On slots, because the products and sums of the function keep them where they can.
        register_named(name, "reduction", rule_for, takes_slots=True)
        return function

    return decorate


@rewritten("reduce_prod")
def product(x: Any, *, axes: Sequence[int], **_: Any) -> Any:
    """The product by a balanced tree: exact also where factors are zero, and of logarithmic depth."""
    # From the last axis on, so that taking one away does not renumber those still to come.
    for axis in sorted(axes, reverse=True):
        x = _product_along(x, axis)
    return x


def _product_along(x: Any, axis: int) -> Any:
    if x.shape[axis] == 0:
        return jnp.ones((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype)
    while (size := x.shape[axis]) > 1:
        half = size // 2
        lower, upper, rest = jnp.split(x, (half, 2 * half), axis=axis)
        x = jnp.concatenate([lower * upper, rest], axis=axis) if size % 2 else lower * upper
    return jnp.squeeze(x, axis)


@rewritten("cumprod")
def cumulative_product(x: Any, *, axis: int, reverse: bool) -> Any:
    """The products of the first 1, 2, 3, … elements along an axis, by pairs."""
    return lax.associative_scan(jnp.multiply, x, axis=axis, reverse=reverse)


@rewritten("cumlogsumexp")
def cumulative_logsumexp(x: Any, *, axis: int, reverse: bool) -> Any:
    """log Σ exp of the first 1, 2, 3, … elements along an axis, by pairs."""
    return lax.associative_scan(jnp.logaddexp, x, axis=axis, reverse=reverse)

"""The operators of folx that take second derivatives one coordinate at a time, to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


class LoopLaplacianOperator:
    """A function to (its second derivatives, its gradient), one coordinate after the other."""

    def __call__(self, f: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
        """The function x ↦ (∂²f/∂x_k² for each k, ∇f), both (N,), for a scalar f."""
        return _second_derivatives(f, jax.lax.map)


class ParallelLaplacianOperator:
    """A function to (its second derivatives, its gradient), all coordinates at once."""

    def __call__(self, f: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
        """The function x ↦ (∂²f/∂x_k² for each k, ∇f), both (N,), for a scalar f."""
        return _second_derivatives(f, lambda along, rows: jax.vmap(along)(rows))


def _second_derivatives(f: Callable[[Any], Any], each: Callable[[Any, Any], Any]) -> Callable[[Any], tuple[Any, Any]]:
    @jax.jit
    def derivatives(x: Any) -> tuple[Any, Any]:
        of_flat = lambda flat: f(flat.reshape(jnp.shape(x)))  # noqa: E731
        gradient, along = jax.linearize(jax.grad(of_flat), jnp.ravel(x))
        return each(lambda row: jnp.vdot(row, along(row)), jnp.eye(jnp.size(x), dtype=gradient.dtype)), gradient

    return derivatives

"""Several steps of an optimiser in one program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


def repeated(step: Callable[[Any, Any], tuple[Any, Any]], carry: Any, n: Any, most: int) -> tuple[Any, Any]:
    """Take n steps, of which there may be `most`; n is known at run time only.

    Intervals of other lengths then need no other program: Korteweg–de Vries' takes 12 s to compile, and a training that
    shortens its intervals had three of them.

    Args:
        step: From a carry and the number of the step to the next carry and what is kept of it.
        carry: Before the first step.
        n: How many steps are taken.
        most: How many there may be.

    Returns:
        The carry after n steps, and what is kept of each, stacked; nan from the nth on.
    """

    def none(carry: Any, k: Any) -> tuple[Any, Any]:
        kept = jax.eval_shape(step, carry, k)[1]
        return carry, jax.tree.map(lambda leaf: jnp.full(leaf.shape, jnp.nan, leaf.dtype), kept)

    def one(carry: Any, k: Any) -> tuple[Any, Any]:
        return jax.lax.cond(k < n, step, none, carry, k)

    return jax.lax.scan(one, carry, jnp.arange(most))


def steps_to_the_last(step: Callable[[Any, Any], tuple[Any, Any]], theta: Any, state: Any, n: Any, most: int) -> Any:
    """Take n steps of an optimiser that reports its last θ.

    Args:
        step: From (θ, state) and the number of the step to the next pair and its losses, (terms,).
        theta: Before the first step.
        state: Of the optimiser there.
        n: How many steps are taken.
        most: How many there may be.

    Returns:
        θ and the state after the steps; the losses of each, (most, terms); and the pair of θ and the last losses.
    """
    (theta, state), losses = repeated(step, (theta, state), n, most)
    return theta, state, losses, (theta, losses[n - 1])

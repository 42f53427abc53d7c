"""Arithmetic of stacked derivatives, arrays (r, *s) or (c, *s), where None stands for zero."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp


def add(x: Any, y: Any) -> Any:
    """x + y."""
    if x is None or y is None:
        return y if x is None else x
    return x + y


def zeros_stacked(count: int, value: Any) -> Any:
    """`count` zero derivatives of `value`, stacked in front."""
    # By way of the value: inside shard_map, zeros must vary over the same devices as what they are zeros for.
    return jnp.zeros_like(jnp.broadcast_to(value, (count, *jnp.shape(value))))


def aligned(part: Any, value: Any) -> Any:
    """Stacked derivatives of an operand that broadcasts against `value`, with as many axes as `value` has."""
    if part is None or part.ndim == jnp.ndim(value) + 1:
        return part
    return part.reshape(len(part), *[1] * (jnp.ndim(value) + 1 - part.ndim), *part.shape[1:])


def broadcast_stack(part: Any, value: Any) -> Any:
    """Stacked derivatives of an operand that broadcasts against `value`, in the shape of `value`."""
    if part is None or part.shape[1:] == jnp.shape(value):
        return part
    return jnp.broadcast_to(aligned(part, value), (len(part), *jnp.shape(value)))

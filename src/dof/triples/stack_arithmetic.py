"""Arithmetic of stacked derivatives, arrays (r, *s) or (c, *s), where None stands for zero."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import lax


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


def settled(total: Any) -> Any:
    """Return `total` as it is, through a rounding to its own precision, at which XLA ends a kernel.

    XLA's CPU compiler fuses products and sums that follow each other. Left alone it would fuse the applied parts of all
    layers into one kernel at the end, which keeps the tangents of all layers alive: memory and time would grow with the
    depth. It ends a kernel at a change of precision. With this, two layers of tangents are alive at any depth.
    """
    # `reduce_precision` does not take complex numbers, whose kernels are left to XLA.
    if not jnp.issubdtype(total.dtype, jnp.floating):
        return total
    format = jnp.finfo(total.dtype)
    return lax.reduce_precision(total, exponent_bits=format.nexp, mantissa_bits=format.nmant)

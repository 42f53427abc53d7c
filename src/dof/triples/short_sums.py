"""Sums along short axes, written as sums of slices.

XLA for CPUs hands the sum of a product to a library of kernels for long sums. For 2 to 8 terms with few elements
behind them these take 3 to 25 times as long as the sum of the slices, which is fused with what is around it: Σ over 2
of products (32, 48, 16, 2, 8) 2.9 ms and 0.11 ms, Σ over 3 of products (32, 48, 16, 2, 3) 1.3 ms and 0.10 ms
(jaxlib 0.10.2, two cores).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from dof.jax_compat import is_distributed

MOST_TERMS = 8
"""The longest sum that is written as slices. With 48, a sum over 48 directions takes three times as long."""

SHORT_ROW = 8
"""Below this many elements on the last axis, a sum along the first axis is written as slices (`total_in_front`)."""


def total(array: Any, axes: Sequence[Any]) -> Any:
    """Σ along `axes`, which are numbered from the front."""
    terms = np.prod([array.shape[a] for a in axes])
    # `jnp.sum` adds half precision up in single precision. An axis that is distributed over devices cannot be sliced.
    can_be_sliced = array.dtype.itemsize > 2 and not is_distributed(array)
    if 1 < terms <= MOST_TERMS and can_be_sliced:
        return _sum_of_slices(array, tuple(map(int, axes)))
    return jnp.sum(array, axis=tuple(axes))


def total_in_front(stack: Any) -> Any:
    """Σ_k of a stack (k, *s).

    By slices only where the last axis is short. They are fused with what they are sums of and with what follows, which
    would compute long rows anew: the squares of tangents made a LapNet of 16 electrons take 1.4 times as long.
    """
    is_short = stack.ndim == 1 or stack.shape[-1] < SHORT_ROW
    return total(stack, (0,)) if is_short else jnp.sum(stack, axis=0)


def _sum_of_slices(array: Any, axes: Sequence[int]) -> Any:
    # Split, not indexed: the transpose puts slices together, that of indexing pads each of them and adds.
    for axis in sorted(axes, reverse=True):
        slices = lax.split(array, (1,) * array.shape[axis], axis)
        array = lax.squeeze(reduce(lax.add, slices), (axis,))
    return array

"""Which promotion of dtypes dof itself computes with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import jax


@contextmanager
def own_promotion() -> Iterator[None]:
    """Compute with JAX's default promotion of ranks and dtypes; a stricter setting is for the user's code only.

    Coefficients of different precision are combined in the higher one. A cast to the lower one would satisfy the strict
    setting too, but would take digits from coefficients that the user gave in float64.
    """
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield

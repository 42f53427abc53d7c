"""Whether a, b, c and matrices are numbers, and finite; `coefficients.py` checks their shapes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.jax_compat import concrete, is_traced


def as_array(argument: str, value: Any) -> Any:
    """The value as an array: a NumPy one if it is known, since a JAX array would not stay known under jit."""
    if hasattr(value, "shape"):
        # An array that other processes hold a part of cannot be read here.
        return value if is_traced(value) or not getattr(value, "is_fully_addressable", True) else np.asarray(value)
    try:
        array = jnp.asarray(value) if any(map(is_traced, jax.tree.leaves(value))) else np.asarray(value)
    except (TypeError, ValueError):
        array = None
    if array is None or array.dtype.kind not in "bifc":
        found, fix = f"is {shown(value)}", f"{argument} = jnp.asarray({argument})"
        raise ArgumentTypeError(describe(argument, found, "numbers, or a function of x that returns them", fix))
    return array


def require_finite(argument: str, value: Any) -> None:
    """Refuse NaN and infinity in what is known while tracing."""
    for leaf in jax.tree.leaves(value):
        # A function of x is a leaf as well; what it returns is checked at x, by `LinearOperator.at`.
        known = concrete(leaf) if isinstance(leaf, (int, float, complex, np.ndarray, np.generic, jax.Array)) else None
        if known is not None and not np.isfinite(known).all():
            bad = np.argwhere(~np.isfinite(known))[0].tolist()
            found = f"has the entry {known[tuple(bad)]} at {bad}" if known.ndim else f"is {known}"
            raise ArgumentError(describe(argument, found, "finite numbers", f"{argument} = jnp.nan_to_num({argument})"))

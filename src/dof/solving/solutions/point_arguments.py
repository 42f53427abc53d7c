"""Points as users give them, as one array, and the values there in the shape that was given."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.extend import is_traced
from dof.pde.notation.names import Names


def points_of(given: tuple[Any, ...], names: Names) -> Any:
    """One array (…, coordinates): as it is given, or joined from the values of each coordinate, which are broadcast.

    Args:
        given: Points, or one argument for each name.
        names: Of the coordinates.

    Raises:
        ArgumentError: If there are as many arguments as no reading has.
    """
    if len(given) not in (1, len(names.names)):
        found, fix = f"is given {len(given)} arguments", f"solution({', '.join(names.names)})"
        raise ArgumentError(describe("solution", found, f"points, or each of {names}", fix))
    np_or_jnp: Any = jnp if any(map(is_traced, given)) else np
    parts = [_floating(np_or_jnp.asarray(part), np_or_jnp) for part in given]
    if len(given) == 1:
        # With one coordinate, x of any shape is its values, unless the last axis is that of coordinates.
        is_values = names.count == 1 and parts[0].shape[-1:] != (1,)
        return parts[0][..., None] if is_values else parts[0]
    columns = [part if names.is_vector(n) else part[..., None] for n, part in zip(names.names, parts, strict=True)]
    shape = np.broadcast_shapes(*(column.shape[:-1] for column in columns))
    return np_or_jnp.concatenate([np_or_jnp.broadcast_to(c, (*shape, c.shape[-1])) for c in columns], axis=-1)


def filled_up(points: np.ndarray) -> np.ndarray:
    """Points (n, coordinates) filled up to a power of two, so that few numbers of points are compiled for."""
    return np.concatenate([points, np.repeat(points[-1:], (1 << (len(points) - 1).bit_length()) - len(points), 0)])


def _floating(array: Any, np_or_jnp: Any) -> Any:
    """Concrete numbers in float64; traced ones as they are, if they are no integers."""
    if np_or_jnp is np:
        return np.asarray(array, float)
    return array if jnp.issubdtype(array.dtype, jnp.floating) else array.astype(jnp.result_type(float))

"""Points as users give them, as one array, and the values there in the shape that was given."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
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
    parts = [_floating(part, np_or_jnp) for part in given]
    if len(given) == 1:
        # With one coordinate, x of any shape is its values, unless the last axis is that of coordinates.
        is_values = names.count == 1 and parts[0].shape[-1:] != (1,)
        return parts[0][..., None] if is_values else parts[0]
    columns = [part if names.is_vector(n) else part[..., None] for n, part in zip(names.names, parts, strict=True)]
    shape = _common_shape([column.shape[:-1] for column in columns], names)
    return np_or_jnp.concatenate([np_or_jnp.broadcast_to(c, (*shape, c.shape[-1])) for c in columns], axis=-1)


def filled_up(points: np.ndarray) -> np.ndarray:
    """Points (n, coordinates) filled up to a power of two, so that few numbers of points are compiled for."""
    return np.concatenate([points, np.repeat(points[-1:], (1 << (len(points) - 1).bit_length()) - len(points), 0)])


def rounded_as(value: Any, dtype: Any) -> Any:
    """A value in the precision of points of this type; a complex one stays complex."""
    is_complex = jnp.issubdtype(value.dtype, jnp.complexfloating)
    return value.astype(jnp.promote_types(dtype, jnp.complex64) if is_complex else dtype)


def _common_shape(shapes: list[tuple[int, ...]], names: Names) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        found, fix = f"is given coordinates of shapes {', '.join(map(str, shapes))}", "solution(*np.meshgrid(x, y))"
        raise ArgumentError(describe("solution", found, f"shapes of {names} that broadcast", fix)) from None


def _floating(given: Any, np_or_jnp: Any) -> Any:
    """Concrete numbers in float64; traced ones as they are, if they are no integers."""
    if np_or_jnp is np:
        return _in_double(given)
    array = jnp.asarray(given)
    return array if jnp.issubdtype(array.dtype, jnp.floating) else array.astype(jnp.result_type(float))


def _in_double(given: Any) -> np.ndarray:
    """Real numbers as an array; refuses text, complex numbers, and lists of different lengths."""
    try:
        array = np.asarray(given)
        if not np.iscomplexobj(array):
            return np.asarray(array, float)
        found = "complex numbers"
    except (TypeError, ValueError):
        found = shown(given)
    fix = "solution(np.array([[0.5, 0.1], [0.2, 0.9]]))"
    raise ArgumentTypeError(describe("points", f"is given {found}", "real numbers", fix))

"""Functions of one point made into functions of one or of many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

import dof
from dof.errors import ArgumentError, describe
from dof.pde.notation.names import Names


def at_points(of_point: Callable[[Any], Any], coordinates: Names, call: str) -> Callable[[Any], Any]:
    """A function of one point (coordinates,) or of many (n, coordinates), from one of a single point.

    Args:
        of_point: The function of a single point.
        coordinates: Their names.
        call: How the user calls the result, for errors.
    """

    def at(points: Any) -> Any:
        array = jnp.asarray(points)
        require_points(array.shape, coordinates, call)
        return of_point(array) if array.ndim == 1 else dof.batched(of_point)(array)

    return at


def require_points(shape: tuple[int, ...], coordinates: Names, call: str) -> None:
    """Refuse what is neither one point nor many of them."""
    n = coordinates.count
    if len(shape) not in (1, 2) or shape[-1] != n:
        expected = f"({n},) for one point or (points, {n}), for the coordinates {coordinates}"
        raise ArgumentError(describe("points", f"has shape {shape}", expected, f"{call}(jnp.ones((10, {n})))"))

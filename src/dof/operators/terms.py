"""A coefficient is a sum of terms: a constant or a function of x, times constants or functions of x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from dof.directions.known_while_tracing import is_known
from dof.operators.coefficients import known, read_c
from dof.promotion import own_promotion
from dof.typing import Array


@jax.tree_util.register_pytree_node_class
class Term:
    """scales[0](x) · scales[1](x) · … · value(x).

    As a pytree, plain functions are static and everything else is data.
    """

    def __init__(self, value: Any, scales: tuple[Any, ...] = ()) -> None:
        self.value = value
        self.scales = scales

    def scaled(self, scale: Any) -> Term:
        """The term times one more scale."""
        return Term(self.value, (*self.scales, scale))

    @property
    def varies(self) -> bool:
        """Whether the term is a function of x."""
        return any(map(callable, (self.value, *self.scales)))

    def tree_flatten(self) -> Any:
        """Children for JAX: the entries that are no plain functions."""
        entries = (self.value, *self.scales)
        # None is a tree without leaves: JAX sees no leaf where a function stands, which it could not trace.
        static = tuple(entry if _is_plain_function(entry) else None for entry in entries)
        return tuple(None if _is_plain_function(entry) else entry for entry in entries), static

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Term:
        """The inverse of `tree_flatten`."""
        value, *scales = (
            child if function is None else function for function, child in zip(static, children, strict=True)
        )
        return cls(value, tuple(scales))


def _is_plain_function(entry: Any) -> bool:
    """Whether an entry is a callable that is no pytree: a module with parameters is data, a lambda is not."""
    return callable(entry) and jax.tree_util.all_leaves([entry])


def at(entry: Any, x: Any) -> Any:
    """The entry at x, if it is a function of x, else the entry itself."""
    return entry(x) if callable(entry) else entry


def scale_at(term: Term, x: Any) -> Array | None:
    """The product of the scales at x; None if there are none."""
    product = None
    for scale in term.scales:
        factor = read_c(at(scale, x), "scale")
        product = factor if product is None else times(product, factor)
    return product


def times(scale: Array | None, value: Array) -> Array:
    """scale · value, known if both are; a scale of None is one."""
    if scale is None:
        return value
    # NumPy makes a scalar of a product of 0-d arrays, which does not count as known; `known` makes it an array again.
    # Known numbers are multiplied in float64, however the user's arrays were typed.
    if is_known(scale, value):
        return known(scale * value)
    with own_promotion():
        return scale * value


def total(arrays: Sequence[Any]) -> Array | None:
    """The sum, or None if there is nothing to add."""
    result: Any = None
    for array in arrays:
        with own_promotion():
            result = array if result is None else known(result + array)
    return result

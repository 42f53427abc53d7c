"""A coefficient is a sum of terms: a constant or a function of x, times constants or functions of x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from dof.operators.coefficients import known, read_c
from dof.typing import Array


@jax.tree_util.register_pytree_node_class
class Term:
    """scales[0](x) · scales[1](x) · … · value(x). What is a plain function is static, everything else is data."""

    def __init__(self, value: Any, scales: tuple[Any, ...] = ()) -> None:
        self.value = value
        self.scales = scales

    def scaled(self, scale: Any) -> Term:
        return Term(self.value, (*self.scales, scale))

    @property
    def varies(self) -> bool:
        """Whether it is a function of x."""
        return any(map(callable, (self.value, *self.scales)))

    def tree_flatten(self) -> Any:
        entries = (self.value, *self.scales)
        static = tuple(entry if _is_plain_function(entry) else None for entry in entries)
        return tuple(None if _is_plain_function(entry) else entry for entry in entries), static

    @classmethod
    def tree_unflatten(cls, static: Any, children: Any) -> Term:
        value, *scales = (
            child if function is None else function for function, child in zip(static, children, strict=True)
        )
        return cls(value, tuple(scales))


def _is_plain_function(entry: Any) -> bool:
    """A callable that is no pytree: a module with parameters is data, a lambda is not."""
    return callable(entry) and jax.tree_util.all_leaves([entry])


def at(entry: Any, x: Any) -> Any:
    return entry(x) if callable(entry) else entry


def scale_at(term: Term, x: Any) -> Array:
    """The product of the scales: known as long as all of them are."""
    product: Any = np.ones(())
    for scale in term.scales:
        product = known(product * read_c(at(scale, x), "scale"))
    return product


def total(arrays: Sequence[Any]) -> Array | None:
    """The sum, or None if there is nothing to add."""
    result: Any = None
    for array in arrays:
        result = known(array if result is None else result + array)
    return result

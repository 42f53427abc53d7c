"""Objects that stand for an array: every operator of numbers acts on their value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax.numpy as jnp
import numpy as np


class ActsAsArray:
    """An object with a `value`, which stands for it in arithmetic, comparisons and functions of `jax.numpy`."""

    value: Any
    # NumPy would otherwise take such an object for a scalar of dtype object.
    __array_ufunc__ = None
    # Two of them are compared by their values, as arrays are, which have no hash either.
    __hash__ = None  # type: ignore[assignment]

    def __jax_array__(self) -> Any:
        return jnp.asarray(self.value)

    def __array__(self, *arguments: Any, **keywords: Any) -> Any:
        return np.asarray(self.value).__array__(*arguments, **keywords)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return len(jnp.asarray(self.value))

    def __getitem__(self, index: Any) -> Any:
        return jnp.asarray(self.value)[index]


def _of_value(name: str) -> Callable[..., Any]:
    """The method `name` of arrays, for the value of an object."""

    def method(self: ActsAsArray, *others: Any) -> Any:
        plain = [other.value if isinstance(other, ActsAsArray) else other for other in others]
        return getattr(jnp.asarray(self.value), name)(*plain)

    return method


_BINARY = "add sub mul truediv floordiv mod divmod pow matmul"
_REFLECTED = " ".join(f"r{name}" for name in _BINARY.split())
_COMPARISONS = "eq ne lt le gt ge"
_UNARY = "neg pos abs round bool int float complex"
for _name in f"{_BINARY} {_REFLECTED} {_COMPARISONS} {_UNARY}".split():
    setattr(ActsAsArray, f"__{_name}__", _of_value(f"__{_name}__"))

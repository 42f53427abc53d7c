"""The results of `dof.compat.folx`, with the fields of folx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp


class FwdJacobian(NamedTuple):
    """The derivatives in all inputs, (N, *shape): `data` and `dense_array` are the same."""

    data: Any

    @property
    def dense_array(self) -> Any:
        """(N, *shape)."""
        return self.data


class FwdLaplArray(NamedTuple):
    """A value with its Jacobian and its Laplacian in the inputs of the first function.

    Attributes:
        x: the value, (*shape).
        jacobian: its derivatives, `jacobian.dense_array` of shape (N, *shape).
        laplacian: its Laplacian, (*shape).
    """

    x: Any
    jacobian: FwdJacobian
    laplacian: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value."""
        return jnp.shape(self.x)

    @property
    def ndim(self) -> int:
        """The number of axes of the value."""
        return jnp.ndim(self.x)

    @property
    def dtype(self) -> Any:
        """The dtype of the value."""
        return jnp.result_type(self.x)

    @property
    def size(self) -> int:
        """The number of elements of the value."""
        return jnp.size(self.x)

    @property
    def dense_jacobian(self) -> Any:
        """The derivatives, (N, *shape)."""
        return self.jacobian.dense_array

    @property
    def dense(self) -> FwdLaplArray:
        """The same: derivatives are never sparse here."""
        return self

    @property
    def real(self) -> FwdLaplArray:
        """The real part, with its derivatives."""
        return self._each(jnp.real)

    @property
    def imag(self) -> FwdLaplArray:
        """The imaginary part, with its derivatives."""
        return self._each(jnp.imag)

    def conj(self) -> FwdLaplArray:
        """The conjugate, with its derivatives."""
        return self._each(jnp.conj)

    def astype(self, dtype: Any) -> Any:
        """The value and its derivatives in another precision; only the value for integers and booleans."""
        if not jnp.issubdtype(dtype, jnp.inexact):
            return jnp.asarray(self.x, dtype)
        return self._each(lambda part: part.astype(dtype))

    def _each(self, linear: Callable[[Any], Any]) -> FwdLaplArray:
        return FwdLaplArray(linear(self.x), FwdJacobian(linear(self.jacobian.data)), linear(self.laplacian))

"""The results of `dof.compat.folx`, with the fields of folx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class FwdJacobian(NamedTuple):
    """The derivatives in the inputs: those of all N, or for each element of some k.

    Attributes:
        data: (N, *shape), or (k, *shape) with `x0_idx`.
        x0_idx: None, or (k, *shape) integers of NumPy: the input that each entry is for, −1 for none. Results of dof
            have None.
    """

    data: Any
    x0_idx: Any = None

    @property
    def dense_array(self) -> Any:
        """(N, *shape); with `x0_idx`, N is the last input that occurs, and one."""
        if self.x0_idx is None:
            return self.data
        inputs = np.arange(np.max(self.x0_idx, initial=-1) + 1).reshape(-1, 1, *[1] * (jnp.ndim(self.data) - 1))
        return jnp.sum(jnp.where(inputs == self.x0_idx, self.data, 0), axis=1)

    @property
    def weak(self) -> bool:
        """Whether only some inputs are kept for each element."""
        return self.x0_idx is not None

    @property
    def as_dense(self) -> FwdJacobian:
        """The same with all inputs."""
        return FwdJacobian(self.dense_array)

    @classmethod
    def from_dense(cls, array: Any) -> FwdJacobian:
        """The Jacobian (N, *shape) of all inputs."""
        return cls(array)


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
    def is_jacobian_weak(self) -> bool:
        """Whether the Jacobian keeps only some inputs for each element; never so in results of dof."""
        return self.jacobian.weak

    @property
    def dense(self) -> FwdLaplArray:
        """The same, with the derivatives in all inputs."""
        return self._replace(jacobian=self.jacobian.as_dense)

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
        jacobian = self.jacobian._replace(data=linear(self.jacobian.data))
        return FwdLaplArray(linear(self.x), jacobian, linear(self.laplacian))


def is_result(leaf: Any) -> bool:
    """Whether a leaf is a `FwdLaplArray`, of this module or of folx itself."""
    return all(hasattr(leaf, name) for name in ("x", "jacobian", "laplacian"))


def with_all_inputs(tree: Any) -> Any:
    """The pytree with the same number of inputs in all its `FwdLaplArray`s; rows of zeros are added."""
    results = [leaf for leaf in jax.tree.leaves(tree, is_leaf=is_result) if is_result(leaf)]
    count = max((len(result.jacobian.dense_array) for result in results), default=0)

    def padded(leaf: Any) -> Any:
        if not is_result(leaf):
            return leaf
        rows = leaf.jacobian.dense_array
        rows = jnp.pad(rows, [(0, count - len(rows))] + [(0, 0)] * (jnp.ndim(rows) - 1)) if len(rows) < count else rows
        return FwdLaplArray(leaf.x, FwdJacobian(rows), leaf.laplacian)

    return jax.tree.map(padded, tree, is_leaf=is_result)

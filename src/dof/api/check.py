"""Compare an operator with nested automatic differentiation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.api.apply import require_operator
from dof.api.nested_autodiff import nested_autodiff
from dof.errors import ArgumentError, describe
from dof.function_arguments import Argnums, split_arguments
from dof.jax_compat import enable_x64


@dataclass(frozen=True)
class Check:
    """How far L f is from nested automatic differentiation, relative to the largest entry of the reference.

    Attributes:
        value: L f by dof.
        reference: L f by nested differentiation in float64.
        error: distance of dof from the reference.
        autodiff_error: distance of nested differentiation in the precision of x from the reference.
        reference_dtype: the dtype of the reference, which says whether float64 was possible.
    """

    value: Any
    reference: Any
    error: float
    autodiff_error: float
    reference_dtype: str

    def __str__(self) -> str:
        return (
            f"dof is {self.error:.1e} away from nested autodiff in {self.reference_dtype} "
            f"(nested autodiff in the precision of x: {self.autodiff_error:.1e})"
        )


def check(L: Any, f: Callable[..., Any], *args: Any, argnums: Argnums = 0, **kwargs: Any) -> Check:
    """Compute L f at f's arguments, for one point x, with dof and with nested automatic differentiation, and compare.

    With weights as the first argument of f: `dof.check(L, net, params, x, argnums=1)`.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> dof.check(dof.laplacian, lambda x: jnp.sum(jnp.sin(x)), jnp.ones(3)).error < 1e-6
        True
    """
    require_operator(L, "L", "dof.check(L, f, x), for each operator by itself")
    with _telling_batches(L, f, args, kwargs, argnums):
        value = L(f, argnums)(*args, **kwargs)
    # How much of the error is the precision of x: nested differentiation in it is off as well.
    own = nested_autodiff(L, f, argnums)(*args, **kwargs)
    with enable_x64():
        reference = nested_autodiff(L, f, argnums)(*_in_double(args), **_in_double(kwargs))
    dtype = jnp.result_type(*jax.tree.leaves(reference))
    return Check(value, reference, _distance(value, reference), _distance(own, reference), str(dtype))


@contextmanager
def _telling_batches(L: Any, f: Any, args: tuple[Any, ...], kwargs: Any, argnums: Argnums) -> Iterator[None]:
    """Say that it takes one point, where something fails for x and not for its first row."""
    try:
        yield
    except (TypeError, ValueError, IndexError) as error:
        shapes = _shapes_of_batch(L, f, args, kwargs, argnums)
        if not shapes:
            raise
        found, expected = (", ".join(map(str, each)) for each in (shapes, [shape[1:] for shape in shapes]))
        fix = "dof.check(L, f, x[0]), and jax.vmap(L(f))(x) or dof.batched(L(f))(x) for all points"
        raise ArgumentError(describe("x", f"has shape {found}", f"one point, here of shape {expected}", fix)) from error


def _shapes_of_batch(L: Any, f: Any, args: tuple[Any, ...], kwargs: Any, argnums: Argnums) -> list[tuple[int, ...]]:
    """The shapes in x if L f can be traced for its first row, which is one point then; else none."""
    try:
        x, put_back = split_arguments(args, argnums)
        if any(jnp.ndim(leaf) < 2 for leaf in jax.tree.leaves(x)):
            return []  # one point: that a function can be traced for a number says nothing
        first = put_back(jax.tree.map(lambda leaf: leaf[0], x))
        jax.eval_shape(lambda: L(f, argnums)(*first, **kwargs))
    except Exception:
        return []
    return [leaf.shape for leaf in jax.tree.leaves(x)]


def _in_double(tree: Any) -> Any:
    def convert(leaf: Any) -> Any:
        is_array = isinstance(leaf, (jax.Array, np.ndarray))
        if not is_array or not jnp.issubdtype(leaf.dtype, jnp.inexact):
            return leaf
        return leaf.astype(np.complex128 if jnp.iscomplexobj(leaf) else np.float64)

    return jax.tree.map(convert, tree)


def _distance(value: Any, reference: Any) -> float:
    """The largest difference, relative to the largest entry of the reference; NaN if there is one anywhere."""
    found, expected = (
        # In complex128, which holds all dtypes of JAX; np.max hands on a NaN, where the builtin `max` may not.
        np.concatenate([np.zeros(0), *(np.ravel(np.asarray(leaf, np.complex128)) for leaf in jax.tree.leaves(tree))])
        for tree in (value, reference)
    )
    scale = np.max(np.abs(expected), initial=0)
    return float(np.max(np.abs(found - expected), initial=0) / (scale or 1))

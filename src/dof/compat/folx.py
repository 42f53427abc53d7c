"""The calls of folx, by dof.

    from dof.compat import folx          # instead of: import folx
    from dof.compat.folx import forward_laplacian, batched_vmap

The results have the fields of folx: `.x`, `.jacobian.dense_array`, `.laplacian`. Sparsity is found by dof itself, so
that `sparsity_threshold` changes nothing. Rules for folx (`register_function`) are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from dof.api.apply import after_propagation
from dof.api.continue_propagation import continue_propagation
from dof.api.operator import laplacian
from dof.batching.batched import batched
from dof.compat.folx_arrays import FwdJacobian, FwdLaplArray, is_result, with_all_inputs
from dof.compat.folx_operators import LoopLaplacianOperator, ParallelLaplacianOperator
from dof.compat.folx_rules import (
    deregister_function,
    register_function,
    warp_without_fwd_laplacian,
    wrap_forward_laplacian,
)
from dof.function_arguments import named_after
from dof.options import DEFAULT
from dof.pipeline.propagated import Propagated
from dof.triples.triple import Triple, is_smooth

__all__ = [
    "ForwardLaplacianOperator",
    "FwdJacobian",
    "FwdLaplArray",
    "LoopLaplacianOperator",
    "ParallelLaplacianOperator",
    "batched_vmap",
    "deregister_function",
    "forward_laplacian",
    "register_function",
    "warp_without_fwd_laplacian",
    "wrap_forward_laplacian",
]


def forward_laplacian(
    fn: Callable[..., Any], sparsity_threshold: int | float = 0, disable_jit: bool = False
) -> Callable[..., Any]:
    """fn with the Jacobian and the Laplacian of its results in all positional arguments.

    Args:
        fn: a function of arrays or pytrees of arrays.
        sparsity_threshold: without effect; dof finds sparsity by itself.
        disable_jit: do not compile.

    Returns:
        A function of the arguments of `fn` and of `weights`, by which the Jacobian of each argument starts: one
        number, or a tuple with an entry for each argument. Its results are `FwdLaplArray`s, and plain arrays where they
        do not depend on the arguments. An argument that is a `FwdLaplArray` continues where that one ended.
    """

    def applied(*args: Any, weights: Any = 1.0, **kwargs: Any) -> Any:
        if any(map(is_result, jax.tree.leaves(args, is_leaf=is_result))):
            triples = jax.tree.map(_to_triple, args, is_leaf=is_result)
            return _to_results(continue_propagation(fn)(*triples, **kwargs))
        if isinstance(weights, (int, float)) and weights == 1:
            return _from_start(fn, args, kwargs)
        # The Jacobian starts with the weights on its diagonal: that of x + weights · y in y, at y = 0.
        scaled = lambda *y, **kwargs: fn(*jax.tree.map(_moved, args, y, _broadcast(weights, args)), **kwargs)  # noqa: E731
        return _from_start(scaled, jax.tree.map(jnp.zeros_like, args), kwargs)

    compiled = applied if disable_jit else jax.jit(applied)
    # Before jit, because the inputs of a sparse Jacobian must be numbers.
    return lambda *args, **kwargs: compiled(*with_all_inputs(args), **kwargs)


@dataclass(frozen=True)
class ForwardLaplacianOperator:
    """A function to (Laplacian, gradient) of it, as codes that choose between several Laplacians want it."""

    sparsity_threshold: int | float = 0

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """The function x ↦ (Laplacian, gradient) of f."""
        of_f = forward_laplacian(f, self.sparsity_threshold)

        def laplacian_and_gradient(*args: Any) -> tuple[Any, Any]:
            found = of_f(*args)
            return found.laplacian, found.jacobian.dense_array

        return laplacian_and_gradient


def batched_vmap(
    fn: Callable[..., Any], max_batch_size: int, in_axes: Any = 0, out_axes: Any = 0
) -> Callable[..., Any]:
    """`jax.vmap(fn, in_axes, out_axes)` in blocks of at most `max_batch_size` points, one after the other.

    `dof.batched` chooses the size of the blocks itself.
    """

    def applied(*args: Any, **kwargs: Any) -> Any:
        # As in folx, keyword arguments are shared by all points.
        result = batched(partial(fn, **kwargs), in_axes, max_batch_size)(*args)
        axes = jax.tree.broadcast(out_axes, result)
        return jax.tree.map(lambda leaf, axis: jnp.moveaxis(leaf, 0, axis), result, axes)

    return applied


def _from_start(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The results of fn with derivatives in all positional arguments."""
    leaves, tree = jax.tree.flatten(args)
    places = [n for n, leaf in enumerate(leaves) if is_smooth(leaf)]

    # Integers among the arguments are constants.
    def of_floating(floating: list[Any]) -> Any:
        filled = list(leaves)
        for n, leaf in zip(places, floating, strict=True):
            filled[n] = leaf
        return fn(*jax.tree.unflatten(tree, filled), **kwargs)

    of_floating = named_after(fn, of_floating, ["args"])
    apply = after_propagation(of_floating, (laplacian,), 0, DEFAULT, Propagated.triples, wants_tangents=True)
    return _to_results(apply([leaves[n] for n in places]))


def _broadcast(weights: Any, args: tuple[Any, ...]) -> Any:
    leaves, tree = jax.tree.flatten(args)
    return jax.tree.unflatten(tree, jax.tree.leaves(jax.tree.broadcast(weights, tuple(leaves))))


def _moved(x: Any, y: Any, weight: Any) -> Any:
    return x + jnp.asarray(weight, jnp.result_type(x)) * y if is_smooth(x) else x


def _to_triple(leaf: Any) -> Any:
    return Triple(leaf.x, leaf.jacobian.dense_array, leaf.laplacian) if is_result(leaf) else leaf


def _to_results(found: Any) -> Any:
    """The triples in a pytree as results of folx; plain arrays stay."""
    is_triple = lambda leaf: isinstance(leaf, Triple)  # noqa: E731
    of = lambda leaf: FwdLaplArray(leaf.value, FwdJacobian(leaf.tangents), leaf.applied) if is_triple(leaf) else leaf  # noqa: E731
    return jax.tree.map(of, found, is_leaf=is_triple)

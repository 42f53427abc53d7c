"""`dof.value_and_grad`: the mean over points of a loss of one point, and its gradient, added up block by block."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from dof.batching.block_size import Chunk, points_per_block, require_chunk
from dof.batching.blocks import Batch, count_and_size, in_blocks, out_of_blocks, read_batch
from dof.batching.bytes_per_point import shared_bytes, stored_bytes
from dof.batching.devices import SAME, equal_shares, first_points, on_each_device
from dof.batching.gradient_program import rewritten
from dof.batching.loss_of_batch import telling_losses_of_batches
from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.function_arguments import Argnums, places_of, require_argnums, require_callable
from dof.jax_compat import varying_over
from dof.options import require_mesh


def value_and_grad(
    point_loss: Callable[..., Any],
    argnums: Argnums = 0,
    has_aux: bool = False,
    in_axes: Any = 0,
    chunk: Chunk = "auto",
    *,
    mesh: Mesh | None = None,
    axis: str | None = None,
) -> Callable[..., Any]:
    """The mean of `point_loss` over points, and its gradient in the argument(s) `argnums`, which all points share.

    It is `jax.value_and_grad` of the mean of `jax.vmap(point_loss)`, to rounding, in the memory of one block: value and
    gradient are added up block by block, and nothing is computed twice.

    Args:
        point_loss: a function of one point that returns a real scalar, without a mean over points.
        argnums: the argument or arguments to differentiate in.
        has_aux: whether point_loss returns (loss, aux); aux comes back for each point, as in ((value, aux), gradient).
        in_axes: where the other positional arguments have the points, as in `jax.vmap`.
        chunk: as in `dof.batched`.
        mesh: as in `dof.batched`. The devices exchange one sum at the end.
        axis: as in `dof.batched`.

    Returns:
        A function of the arguments of `point_loss`, and of `weights=`, one for each point, for the weighted mean
        Σ wᵢ lossᵢ / Σ wᵢ.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> loss = lambda a, x: (dof.laplacian(lambda x: a * jnp.sum(x**2))(x) - 1.0) ** 2
        >>> value, gradient = dof.value_and_grad(loss, chunk=2)(1.0, jnp.ones((3, 2)))
        >>> print(value, gradient)
        9.0 24.0
    """
    require_callable(point_loss)
    require_argnums(argnums)
    require_chunk(chunk)
    require_mesh(mesh, axis)

    @wraps(point_loss)
    def apply(*args: Any, weights: Any = None, **kwargs: Any) -> Any:
        places = places_of(argnums, args)
        params = tuple(args[p] for p in places)
        _require_floating_params(params, argnums)
        others = tuple(arg for p, arg in enumerate(args) if p not in places)
        batch = read_batch(others, kwargs, in_axes)
        weighted = _weights(weights, batch.size)

        @wraps(point_loss)
        def of_point(params: Any, others: Any, kwargs: Any) -> Any:
            remaining, chosen = iter(others), dict(zip(places, params, strict=True))
            full = [chosen[p] if p in chosen else next(remaining) for p in range(len(args))]
            out = point_loss(*full, **kwargs)
            loss, aux = out if has_aux else (out, ())
            _require_scalar(loss)
            return loss, aux

        value, gradients, aux = _mean(of_point, batch, chunk, mesh, axis, params, weighted)
        gradient = gradients if isinstance(argnums, tuple) else gradients[0]
        return ((value, aux) if has_aux else value), gradient

    return apply


def _require_floating_params(params: Any, argnums: Argnums) -> None:
    for path, leaf in jax.tree_util.tree_leaves_with_path(params):
        # The tree of a network may have functions as leaves, as the activation of `equinox.nn.MLP`.
        kind = jnp.result_type(leaf) if jnp.isscalar(leaf) or hasattr(leaf, "dtype") else type(leaf).__name__
        if isinstance(kind, str) or not jnp.issubdtype(kind, jnp.inexact):
            place = jax.tree_util.keystr(path[1:])
            found = f"is {argnums}, and the argument{f' has a leaf {place}' if place else ''} of type {kind}"
            of_numbers = "params = jax.tree.map(lambda p: jnp.asarray(p, float), params), or another `argnums`"
            fix = "params, static = eqx.partition(net, eqx.is_inexact_array)" if isinstance(kind, str) else of_numbers
            raise ArgumentTypeError(describe("argnums", found, "arguments of floating or complex numbers", fix))


def _weights(weights: Any, n: int) -> Any:
    if weights is None:
        return jnp.ones(n)
    array = jnp.asarray(weights, float)
    if array.shape != (n,):
        found, fix = f"has shape {array.shape}", "weights=jnp.ones(len(x))"
        raise ArgumentError(describe("weights", found, f"({n},), one for each point", fix))
    return array


def _require_scalar(loss: Any) -> None:
    if jnp.shape(loss) != () or not jnp.issubdtype(jnp.result_type(loss), jnp.floating):
        found = f"returns shape {jnp.shape(loss)} and type {jnp.result_type(loss)}"
        fix = "point_loss = lambda params, x: residual(params, x) ** 2, for one point x"
        raise ArgumentError(describe("point_loss", found, "a real scalar for each point", fix))


def _mean(of_point: Any, batch: Batch, chunk: Chunk, mesh: Any, axis: Any, params: Any, weights: Any) -> Any:
    """(mean, gradients, aux of each point)."""
    if mesh is None:
        value, gradients, total, aux = _sums(of_point, batch, chunk, params, batch.shared, batch.mapped, weights)
    else:

        def on_one(same: Any, points: Any) -> Any:
            (params, shared), (*mapped, weights) = same, points
            # Unmarked, JAX would sum the gradient over the devices by itself, in each block instead of once at the end.
            *sums, aux = _sums(of_point, batch, chunk, varying_over(params, axis), shared, mapped, weights)
            return *(lax.psum(part, axis) for part in sums), aux

        devices = mesh.shape[axis]
        points = [*equal_shares(batch.mapped, devices), _filled_with_zeros(weights, devices)]
        out_specs = (SAME, SAME, SAME, PartitionSpec(axis))
        found = on_each_device(on_one, mesh, axis, (params, batch.shared), points, out_specs)
        value, gradients, total, aux = *found[:3], first_points(found[3], batch.size, mesh)
    # In the dtype of each part, so that gradients keep that of their parameters.
    scale = lambda part: part / total.astype(part.dtype)  # noqa: E731
    return scale(value), jax.tree.map(scale, gradients), aux


def _filled_with_zeros(weights: Any, multiple: int) -> Any:
    """Points that are only there to fill up have no weight."""
    return jnp.concatenate([weights, jnp.zeros(-weights.shape[0] % multiple, weights.dtype)])


def _sums(of_point: Any, batch: Batch, chunk: Chunk, params: Any, shared: Any, mapped: Any, weights: Any) -> Any:
    """(Σ wᵢ lossᵢ, its gradients, Σ wᵢ, aux of each point)."""
    n = weights.shape[0]
    with telling_losses_of_batches(of_point, batch, params):
        jaxpr, flags, traced = batch.trace(of_point, params, shared, mapped)
    trained = len(jax.tree.leaves(params))
    passes = 2 * shared_bytes(jaxpr, flags)  # the weights, and the sums of their gradients
    blocks, size = count_and_size(n, points_per_block(chunk, lambda: stored_bytes(jaxpr, flags, trained), n, passes))

    def of_block(params: Any, block: Any, weights: Any) -> Any:
        losses, aux = jax.vmap(traced, in_axes=(None, None, 0))(params, shared, block)
        # A point without weight, as those that fill the block, adds nothing even if its loss is not finite. (Its
        # gradient is multiplied by zero, so that it has to be finite, as everywhere in JAX.)
        return jnp.sum(jnp.where(weights != 0, weights.astype(losses.dtype) * losses, 0)), aux

    # Without it training steps were a quarter slower (`transposed_products.py`), or more (`products_before_sums.py`).
    with_gradient = rewritten(jax.value_and_grad(of_block, has_aux=True))
    if blocks == 1:
        (value, aux), gradients = with_gradient(params, mapped, weights)
        return value, gradients, jnp.sum(weights), aux

    def add(sums: Any, block: Any) -> Any:
        (value, aux), gradients = with_gradient(params, *block)
        return jax.tree.map(jnp.add, sums, (value, gradients)), aux

    points = (in_blocks(mapped, blocks, size), _filled_with_zeros(weights, blocks * size).reshape(blocks, size))
    # By way of arguments: inside shard_map, zeros must vary over the same devices as what is added to them.
    nothing = (jnp.zeros_like(weights[0], jaxpr.out_avals[0].dtype), jax.tree.map(jnp.zeros_like, params))
    (value, gradients), aux = lax.scan(add, nothing, points)
    return value, gradients, jnp.sum(weights), out_of_blocks(aux, n)

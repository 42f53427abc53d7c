"""`dof.batched`: a function of one point applied to many in blocks, in the memory of one block."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from dof.batching.block_size import Chunk, points_per_block, require_chunk
from dof.batching.blocks import Batch, count_and_size, in_blocks, out_of_blocks, read_batch
from dof.batching.bytes_per_point import live_bytes, shared_bytes
from dof.batching.devices import equal_shares, first_points, on_each_device
from dof.function_arguments import require_callable
from dof.options import require_mesh


def batched(
    g: Callable[..., Any],
    in_axes: Any = 0,
    chunk: Chunk = "auto",
    *,
    mesh: Mesh | None = None,
    axis: str | None = None,
) -> Callable[..., Any]:
    """`jax.vmap(g, in_axes)` in blocks of points, one after the other.

    Derivatives are computed block by block as well. A block is run again for them, so that nothing of the other blocks
    is stored.

    Args:
        g: a function of one point.
        in_axes: where the arguments have the points, as in `jax.vmap`.
        chunk: points per block. "auto" takes as many as fit the cache of a CPU, or a quarter of the free memory of an
            accelerator; None takes all at once, which is `jax.vmap`.
        mesh: run the points on several devices, each in its own blocks.
        axis: the axis of the mesh along which the points are distributed.

    Examples:
        >>> import dof, jax, jax.numpy as jnp
        >>> laplacians = dof.batched(dof.laplacian(lambda x: jnp.sum(x**3)), chunk=2)
        >>> print(laplacians(jnp.arange(6.0).reshape(3, 2)))
        [ 6. 30. 54.]
    """
    require_callable(g)
    require_chunk(chunk)
    require_mesh(mesh, axis)

    @wraps(g)
    def apply(*args: Any, **kwargs: Any) -> Any:
        batch = read_batch(args, kwargs, in_axes)

        @wraps(g)
        def of_point(_: Any, args: Any, kwargs: Any) -> Any:
            return g(*args, **kwargs)

        def run(shared: list[Any], mapped: list[Any]) -> Any:
            return _in_blocks(of_point, batch, chunk, shared, mapped)

        if mesh is None or axis is None:
            return run(batch.shared, batch.mapped)
        points = equal_shares(batch.mapped, mesh.shape[axis])
        results = on_each_device(run, mesh, axis, batch.shared, points, PartitionSpec(axis))
        return first_points(results, batch.size, mesh)

    return apply


def _in_blocks(g: Callable[..., Any], batch: Batch, chunk: Chunk, shared: list[Any], mapped: list[Any]) -> Any:
    n = mapped[0].shape[0]
    jaxpr, flags, of_point = batch.trace(g, (), shared, mapped)
    of_block = jax.vmap(of_point, in_axes=(None, None, 0))
    blocks, size = count_and_size(
        n, points_per_block(chunk, lambda: live_bytes(jaxpr, flags), n, shared_bytes(jaxpr, flags))
    )
    # One block is plain `vmap`: no loop, and no second run for derivatives.
    if blocks == 1:
        return of_block((), shared, mapped)
    # Without a checkpoint a gradient would store what all blocks computed, and memory would grow with the points.
    again = jax.checkpoint(of_block)
    return out_of_blocks(lax.map(lambda block: again((), shared, block), in_blocks(mapped, blocks, size)), n)

"""The same on all devices along an axis of a mesh, each with its share of the points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import Mesh, PartitionSpec

from dof.batching.blocks import filled
from dof.jax_compat import place


def on_all_devices(
    run: Callable[..., Any], mesh: Mesh | None, axis: str | None, shared: list[Any], mapped: list[Any]
) -> Any:
    """run(shared, mapped), whose results have the points in front."""
    if mesh is None or axis is None:
        return run(shared, mapped)
    specs = (PartitionSpec(), PartitionSpec(axis))
    split = split_points(mapped, mesh, axis)
    on_each = jax.shard_map(run, mesh=mesh, in_specs=specs, out_specs=specs[1], axis_names={axis})
    return first_points(on_each(same_everywhere(shared, mesh), split), mapped[0].shape[0], mesh)


def split_points(leaves: list[Any], mesh: Mesh, axis: str) -> list[Any]:
    """As many points for each device; if they do not divide evenly, the last one is repeated."""
    devices = mesh.shape[axis]
    full = [filled(leaf, devices * -(-leaf.shape[0] // devices)) for leaf in leaves]
    return place(full, mesh, PartitionSpec(axis))


def same_everywhere(tree: Any, mesh: Mesh) -> Any:
    return place(tree, mesh, PartitionSpec())


def first_points(tree: Any, n: int, mesh: Mesh) -> Any:
    """Without those that were repeated."""
    if all(leaf.shape[0] == n for leaf in jax.tree.leaves(tree)):
        return tree
    return jax.tree.map(lambda leaf: leaf[:n], place(tree, mesh, PartitionSpec()))

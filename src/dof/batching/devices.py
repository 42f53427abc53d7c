"""The same program on all devices along an axis of a mesh, each with its share of the points or directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.sharding import Mesh, PartitionSpec

from dof.batching.blocks import filled
from dof.jax_compat import place

SAME = PartitionSpec()
"""The same on every device."""


def on_each_device(
    run: Callable[[Any, Any], Any], mesh: Mesh, axis: str, shared: Any, split: Any, out_specs: Any
) -> Any:
    """run(shared, split) on each device along an axis of the mesh.

    Args:
        run: what a device does.
        mesh: the devices.
        axis: the axis of the mesh.
        shared: a tree of arrays that every device gets.
        split: a tree of arrays of which each device gets an equal part of the first axis.
        out_specs: how the results are distributed.
    """
    spec = PartitionSpec(axis)
    mapped = jax.shard_map(run, mesh=mesh, in_specs=(SAME, spec), out_specs=out_specs, axis_names={axis})
    return mapped(place(shared, mesh, SAME), place(split, mesh, spec))


def equal_shares(leaves: list[Any], devices: int) -> list[Any]:
    """Leaves with as many points as divide evenly among the devices; the last point is repeated to fill up."""
    return [filled(leaf, devices * -(-leaf.shape[0] // devices)) for leaf in leaves]


def first_points(tree: Any, n: int, mesh: Mesh) -> Any:
    """The first n points, without those that were repeated."""
    # A mesh with explicit axes refuses to cut a distributed axis to a length that the devices do not divide.
    if all(leaf.shape[0] == n for leaf in jax.tree.leaves(tree)):
        return tree
    return jax.tree.map(lambda leaf: leaf[:n], place(tree, mesh, SAME))

"""A batch of points, the arguments of a function of one point, and its division into blocks of equal size.

What users call is in `batched.py`; how many points a block has is found in `block_size.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.function_arguments import named_after
from dof.jax_compat import Closed, as_function


@dataclass(frozen=True)
class Batch:
    """The arguments of a function of one point for n points.

    Attributes:
        tree: the structure of (args, kwargs).
        leaves: their leaves; those that are mapped have the n points on their first axis.
        is_mapped: for each leaf, whether it differs from point to point.
    """

    tree: Any
    leaves: tuple[Any, ...]
    is_mapped: tuple[bool, ...]

    @property
    def size(self) -> int:
        """The number of points, n."""
        return next(leaf.shape[0] for leaf, mapped in zip(self.leaves, self.is_mapped, strict=True) if mapped)

    @property
    def mapped(self) -> list[Any]:
        """The leaves that differ from point to point, (n, …)."""
        return [leaf for leaf, mapped in zip(self.leaves, self.is_mapped, strict=True) if mapped]

    @property
    def shared(self) -> list[Any]:
        """The arrays that all points share."""
        return [
            leaf for leaf, mapped in zip(self.leaves, self.is_mapped, strict=True) if not mapped and _is_array(leaf)
        ]

    def join(self, shared: Sequence[Any], mapped: Sequence[Any]) -> list[Any]:
        """All leaves, in order; those that are no arrays, as the activation of a module, stay as they are."""
        parts = {True: iter(mapped), False: iter(shared)}
        each = zip(self.leaves, self.is_mapped, strict=True)
        return [next(parts[m]) if m or _is_array(leaf) else leaf for leaf, m in each]

    def trace(self, g: Callable[..., Any], params: Any, shared: Any, mapped: Any) -> tuple[Closed, list[bool], Any]:
        """Trace g(params, args, kwargs) at one point, once.

        Returns:
            (program, which of its arguments differ from point to point, function of (params, shared leaves, leaves of
            one point) that runs it).
        """
        # The first point itself where there is one: inside shard_map its type says over which devices it varies.
        point = [leaf[0] if len(leaf) else jax.ShapeDtypeStruct(leaf.shape[1:], leaf.dtype) for leaf in mapped]

        def of_point(params: Any, shared: Sequence[Any], point: Sequence[Any]) -> Any:
            return g(params, *jax.tree.unflatten(self.tree, self.join(shared, point)))

        named = named_after(g, of_point, ["params", "shared", "point"])
        jaxpr, shapes = jax.make_jaxpr(named, return_shape=True)(params, shared, point)
        run, tree = as_function(jaxpr), jax.tree.structure(shapes)
        same = len(jax.tree.leaves((params, shared)))
        flags = [False] * same + [True] * len(point)
        return jaxpr, flags, lambda *parts: jax.tree.unflatten(tree, run(*jax.tree.leaves(parts)))


def read_batch(args: tuple[Any, ...], kwargs: dict[str, Any], in_axes: Any) -> Batch:
    """The batch that arguments make, as `jax.vmap` reads them.

    Args:
        args: positional arguments.
        kwargs: keyword arguments, which have the points on their first axis.
        in_axes: where the positional arguments have the points; None for an argument that all points share.
    """
    every = jax.tree.leaves((_axes_of(args, in_axes), jax.tree.map(lambda _: 0, kwargs)), is_leaf=_is_none)
    entries = jax.tree.leaves((args, kwargs), is_leaf=_is_none)
    # None in an argument is an empty tree without leaves, None among the axes an argument that all points share.
    axes = [axis for axis, entry in zip(every, entries, strict=True) if entry is not None]
    leaves, tree = jax.tree.flatten((args, kwargs))
    moved = [leaf if a is None else _in_front(leaf, a) for leaf, a in zip(leaves, axes, strict=True)]
    batch = Batch(tree, tuple(moved), tuple(a is not None for a in axes))
    sizes = {leaf.shape[0] for leaf in batch.mapped}
    if len(sizes) != 1:
        _refuse_sizes(batch, leaves)
    return batch


def _refuse_sizes(batch: Batch, leaves: list[Any]) -> NoReturn:
    every = zip(batch.leaves, leaves, batch.is_mapped, strict=True)
    shape_of = {moved.shape[0]: jnp.shape(leaf) for moved, leaf, is_mapped in every if is_mapped}
    each = " and ".join(f"{size} points to an array of shape {shape}" for size, shape in sorted(shape_of.items()))
    expected = "as many to all, and None for an argument that all points share, as parameters"
    fix = "dof.batched(g, in_axes=(None, 0))(params, x)"
    raise ArgumentError(describe("in_axes", f"gives {each}" if each else "gives no argument a batch", expected, fix))


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, (jax.Array, np.ndarray, np.generic, int, float, complex))


def _is_none(value: Any) -> bool:
    return value is None


def _axes_of(args: tuple[Any, ...], in_axes: Any) -> Any:
    axes = tuple(in_axes) if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
    try:
        return jax.tree.broadcast(axes, args, is_leaf=_is_none)
    except ValueError:
        found = f"is {shown(in_axes)}, which does not fit the {len(args)} positional arguments and their trees"
        expected = "an integer, or a tuple with an integer, None or a tree of these for each positional argument"
        raise ArgumentError(
            describe("in_axes", found, expected, "dof.batched(g, in_axes=(None, 0))(params, x)")
        ) from None


def _in_front(leaf: Any, axis: Any) -> Any:
    array = jnp.asarray(leaf)
    if not isinstance(axis, int) or isinstance(axis, bool):
        raise ArgumentTypeError(
            describe("in_axes", f"has the entry {shown(axis)}", "integers and None", "in_axes=(None, 0)")
        )
    if not -array.ndim <= axis < array.ndim:
        found = f"asks for axis {axis} of an array of shape {array.shape}"
        raise ArgumentError(describe("in_axes", found, "an axis that it has", "in_axes=(None, 0) for (params, x)"))
    return jnp.moveaxis(array, axis, 0)


def count_and_size(n: int, most: int) -> tuple[int, int]:
    """(number of blocks, their size): as few blocks of at most `most` points as possible, all of the same size."""
    # As few blocks as possible, of nearly equal size: then at most blocks − 1 points are repeated to fill the last one.
    blocks = max(1, -(-n // most))
    return blocks, -(-n // blocks)


def in_blocks(leaves: Sequence[Any], blocks: int, size: int) -> list[Any]:
    """Leaves (n, …) as (blocks, size, …); the last point is repeated to fill the last block."""
    return [filled(leaf, blocks * size).reshape(blocks, size, *leaf.shape[1:]) for leaf in leaves]


def filled(leaf: Any, n: int) -> Any:
    """A leaf with the last point repeated until there are n."""
    missing = n - leaf.shape[0]
    return jnp.concatenate([leaf, jnp.repeat(leaf[-1:], missing, axis=0)]) if missing else leaf


def out_of_blocks(tree: Any, n: int) -> Any:
    """Leaves (blocks, size, …) as (n, …), the inverse of `in_blocks`."""
    # Not reshape(-1, …): results without elements leave that size open.
    return jax.tree.map(lambda leaf: leaf.reshape(leaf.shape[0] * leaf.shape[1], *leaf.shape[2:])[:n], tree)

"""Scatter sums: linear operations F that sum over elements with directions of their own.

    g'_k = Σ_i F_i g_ki

Direction k occurs in few elements i, and only these are summed, direction by direction. The result has the same
directions for all elements. For the Laplacian, the tangents of x W are then W itself, not a product of W with an
N × N identity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.sparsity.slot_flow import SlotFlow
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import uniform
from dof.triples.triple import has_tangents, value_of
from dof.typing import Array

MOSTLY_EMPTY = 2
"""How many times more cells than entries the table of occurrences may have: its zeros at most double the work."""


class Occurrences(NamedTuple):
    """Where each direction occurs among n positions: at most m times each.

    Attributes:
        n: number of positions.
        directions: (r,), the numbers of the directions that occur.
        slot: (r, m), the slot in which direction k occurs for the m-th time.
        position: (r, m), the position at which it does.
        is_there: (r, m), whether direction k occurs for an m-th time.
    """

    n: int
    directions: np.ndarray
    slot: np.ndarray
    position: np.ndarray
    is_there: np.ndarray

    @property
    def in_order(self) -> bool:
        """Whether direction k occurs at position k, and nowhere else, for all positions."""
        once = self.slot.shape == (self.n, 1) and not self.slot.any()
        return once and np.array_equal(self.position.ravel(), np.arange(self.n))


ScatterSum = Callable[[dict[str, Any], SlotTangents, tuple[int, ...], Occurrences, int, Any], Array]
"""(params, tangents, axes along which the slots differ, occurrences, number of the varying operand, value of the other
operand or None) ↦ tangents of the result, (r, *shape)"""


def find_occurrences(index: np.ndarray) -> Occurrences | None:
    """The occurrences in an index (slots, n); None if the table would be mostly empty."""
    slot, position = np.nonzero(index != EMPTY)
    directions, number, counts = np.unique(index[slot, position], return_inverse=True, return_counts=True)
    most = int(counts.max(initial=0))
    if not most or len(directions) * most > MOSTLY_EMPTY * len(slot):
        return None
    # A rectangular table (directions, occurrences) turns the sum into one gather and one reduction, without a scatter.
    # `order` lists the occurrences direction by direction, `turn` counts 0, 1, … within each.
    order = np.argsort(number, kind="stable")
    turn = np.arange(len(slot)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.zeros((3, len(directions), most), int)
    table[:, number[order], turn] = np.stack([slot[order], position[order], np.ones_like(slot)])
    return Occurrences(index.shape[1], directions, table[0], table[1], table[2].astype(bool))


def join_axes(array: Any, axes: Sequence[int], kept: int) -> Any:
    """The array with `axes` joined into one axis, which stands right after the first `kept` axes."""
    moved = jnp.moveaxis(array, axes, range(kept, kept + len(axes)))
    return moved.reshape(*moved.shape[:kept], -1, *moved.shape[kept + len(axes) :])


def by_direction(tangents: SlotTangents, axes: tuple[int, ...], found: Occurrences) -> Array:
    """The tangents as (directions, occurrences of each, remaining axes), zero where there are fewer occurrences."""
    data = join_axes(tangents.data, [a + 1 for a in axes], 1)
    # The coordinates themselves, as at the first layer: nothing to gather.
    if found.in_order:
        return data[0][:, None]
    chosen = data[found.slot, found.position]
    there = found.is_there.reshape(*found.is_there.shape, *[1] * (chosen.ndim - 2))
    return chosen if there.all() else jnp.where(there, chosen, 0)


def scatter_sum(
    summed: ScatterSum, flow: SlotFlow, params: dict[str, Any], operands: Sequence[Any]
) -> SlotTangents | None:
    """The tangents of a sum in which one operand varies.

    Args:
        summed: the sum of the primitive, direction by direction.
        flow: its slot flow, which names the summed axes.
        params: its parameters.
        operands: its operands.

    Returns:
        The tangents; None if the operand's slots differ along an axis that is not summed, or if directions occur in
        very different numbers of elements.
    """
    side = next(n for n, operand in enumerate(operands) if has_tangents(operand))
    tangents = operands[side].tangents
    found = summed_occurrences(flow, params, tangents, side)
    if found is None:
        return None
    other = value_of(operands[1 - side]) if len(operands) == 2 else None
    data = summed(params, tangents, tangents.slots.varying_axes, found, side, other)
    return SlotTangents(data, uniform(found.directions, data.ndim - 1))


def summed_occurrences(flow: SlotFlow, params: dict[str, Any], tangents: SlotTangents, side: int) -> Occurrences | None:
    """Where the directions of operand `side` occur along the axes that are summed.

    None if its slots differ along an axis that is not summed, or if directions occur in very different numbers of
    elements.
    """
    # Along an axis that is not summed, elements of the result would still have directions of their own.
    if not set(tangents.slots.varying_axes) <= set(flow.mixes(params, side)):
        return None
    return find_occurrences(tangents.slots.index.reshape(len(tangents.slots), -1))

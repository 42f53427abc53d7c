"""Placed sums: sums along some axes of a value whose slots vary along other axes too.

    g'_dp = Σ_s Σ_j [slot j of element (p, s) holds direction d] g_jps

p are the positions along the kept axes, s those along the summed ones. In a sum over pairs (p, s) of particles most
directions d of p occur once (those of s), and a few occur in every pair (those of p). The first are placed, the others
are summed, which is little, and then placed. To place all pairs into all directions and then sum would take as many
times longer as there are particles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.sparsity.placement import Placement, find_placement
from dof.triples.short_sums import total
from dof.triples.slot_tangents import SlotTangents, embed
from dof.triples.slots import Slots
from dof.typing import Array


def placed_sum(tangents: SlotTangents, axes: Sequence[int], target: Slots) -> SlotTangents:
    """The tangents of the sum along `axes`, in the slots of `target`, which must have all directions of each sum."""
    varying = tangents.slots.varying_axes
    summed, kept = [a for a in varying if a in axes], [a for a in varying if a not in axes]
    if not summed:
        return SlotTangents(embed(_plain_sum(tangents, axes), target), target)
    rest = [a for a in range(tangents.data.ndim - 1) if a not in (*varying, *axes)]
    # What has the same slots all along a summed axis is summed right away.
    alike = [a for a in axes if a not in summed]
    data = total(_in_order(tangents.data, [*alike, *kept, *summed, *rest]), range(1, 1 + len(alike)))
    index = _in_order(tangents.slots.index, [*kept, *summed, *rest, *alike])
    sizes = index.shape[1 : 1 + len(kept)]
    index = index.reshape(len(index), int(np.prod(sizes)), -1)
    place = np.argsort(np.argsort([*kept, *rest]))  # of each axis of the result in `target`
    # After the sum, directions may be the same along some of the kept axes and still vary along others.
    wanted = np.broadcast_to(_in_order(target.index, place), (len(target), *sizes, *[1] * len(rest)))
    wanted = wanted.reshape(len(target), -1)
    entries = data.reshape(-1, *data.shape[1 + len(kept) + len(summed) :])
    placed = _sum_placed(entries, find_placement(index, wanted), wanted)
    placed = placed.reshape(len(target), *sizes, *entries.shape[1:])
    return SlotTangents(_in_order(placed, np.argsort(place)), target)


def _plain_sum(tangents: SlotTangents, axes: Sequence[int]) -> SlotTangents:
    """The sum along axes along which the slots do not vary: slot by slot."""
    behind = tuple(1 + a for a in axes)
    return SlotTangents(total(tangents.data, behind), Slots(np.squeeze(tangents.slots.index, behind)))


def _in_order(stack: Any, axes: Any) -> Any:
    """A stack or an index with the axes of the value in this order, the slots in front."""
    return stack.transpose([0, *(1 + int(a) for a in axes)])


def _sum_placed(entries: Any, found: Placement, wanted: np.ndarray) -> Array:
    """(t, P, *rest) from entries (slots · P · m, *rest)."""
    rare = _taken(entries, found.rare)
    if not found.directions.size:
        return rare
    frequent, target = (
        Slots(i.reshape(*i.shape, *[1] * (entries.ndim - 1))) for i in (found.directions, wanted.copy())
    )
    return rare + embed(SlotTangents(_taken(entries, found.frequent), frequent), target)


def _taken(entries: Any, places: np.ndarray) -> Array:
    """Σ_c of the entries at `places`, (…, c), zero where a place is EMPTY."""
    taken = entries.at[np.maximum(places, 0)].get(mode="promise_in_bounds")
    there = (places != EMPTY).reshape(*places.shape, *[1] * (entries.ndim - 1))
    return total(taken if there.all() else jnp.where(there, taken, 0), (places.ndim - 1,))

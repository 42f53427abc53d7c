"""The triples of x itself, at which a propagation starts: (x, L, b)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.known_while_tracing import concatenate
from dof.directions.sparse_rows import RowBlock, entries_by_column, row_block
from dof.jax_compat import hide_constant
from dof.operators.coordinates import Coordinates
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import compressed
from dof.triples.triple import SlotTriple, Triple, is_smooth
from dof.typing import Array


def seed(x: Any, coordinates: Coordinates, rows: Sequence[RowBlock], b: Array | None) -> list[Any]:
    """The leaves of x as slot triples: value x, tangents ∂_k x_i = L_ki, applied (𝓛 − c) x_i = b_i.

    Args:
        x: the point.
        coordinates: the N coordinates of x.
        rows: the rows of L, in blocks.
        b: (channels, N); None stands for zero and costs nothing.
    """
    leaves = jax.tree.leaves(x)
    applied = [None] * len(leaves) if b is None else coordinates.split(b)
    places = zip(coordinates.starts, coordinates.shapes, coordinates.dtypes, strict=True)
    tangents = [_tangents_of_leaf(rows, *place) for place in places]
    return list(map(SlotTriple.or_constant, leaves, tangents, applied))


def seed_of_triple(triple: Triple) -> Any:
    """A triple that a propagation is continued from, as a slot triple with one channel; integers are constant."""
    value, tangents = jnp.asarray(triple.value), triple.tangents
    if not is_smooth(value):
        return value
    applied = None if triple.applied is None else jnp.asarray(triple.applied, value.dtype)[None]
    # An operator of first order has no directions.
    if tangents is None or not len(tangents):
        return SlotTriple.or_constant(value, None, applied)
    rows = row_block(tangents.reshape(len(tangents), -1))
    return SlotTriple.or_constant(value, _tangents_of_leaf([rows], 0, value.shape, value.dtype), applied)


def _tangents_of_leaf(rows: Sequence[RowBlock], start: int, shape: tuple[int, ...], dtype: Any) -> SlotTangents | None:
    """The columns of L that belong to a leaf of this shape, which begins at coordinate `start`."""
    # A column of L has few nonzero entries for a diagonal or block-diagonal A: these are the slots of a coordinate.
    data, index = entries_by_column(rows, start, start + int(np.prod(shape)))
    # No direction moves this leaf, or it has no elements: tangents must have at least one slot.
    if not data.size:
        return None
    return SlotTangents(hide_constant(data.reshape(-1, *shape).astype(dtype)), compressed(index.reshape(-1, *shape)))


def stacked_b(each: Sequence[Array | None], coordinates: Coordinates) -> Array | None:
    """The b of all channels as one array (channels, N); None if all are absent."""
    if all(b is None for b in each):
        return None
    return concatenate([(np.zeros(coordinates.size) if b is None else b)[None] for b in each])

"""At a cut, its elements take the place of the coordinates of x.

    K_ij = Σ_kl q_kl g_k(i) g_l(j)

The directions g_k are exchanged for those along the elements themselves, and the form q for K. What the derivatives of
weights alone are (a first linear layer) stays unbatched under vmap, as each pair of values has a block of K of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.array_types import Array
from dof.form import Coupling, Form
from dof.rows import rows
from dof.tangents import Tangents, frame_of, in_frame
from dof.triple import Triple


class Exchanged(NamedTuple):
    """The form and the triples after the cut; and the old directions of each new one, (old, new)."""

    form: Form
    triples: list[Triple]
    old: Array


def exchange(form: Form, triples: Sequence[Triple]) -> Exchanged:
    """For triples that all have tangents."""
    frame = frame_of(triples)
    columns = [_columns(in_frame(triple, frame).tangents) for triple in triples]
    local = form.within(frame)
    gram = _gram(local, columns)
    couplings = tuple(Coupling(matrix[None], channel, 0) for channel, matrix in enumerate(gram))
    starts = np.cumsum([0, *(c.shape[1] for c in columns)])
    old = jnp.concatenate(columns, axis=1)
    if len(frame) < form.directions:
        old = jnp.zeros((form.directions, old.shape[1]), old.dtype).at[frame].set(old)
    new = [_along_itself(triple, int(start)) for triple, start in zip(triples, starts[:-1], strict=True)]
    return Exchanged(Form(np.zeros((form.channels, int(starts[-1]))), couplings), new, old)


def _columns(stacked: Array) -> Array:
    """Tangents (directions, *shape) as real columns, one for each element; complex elements have two."""
    flat = stacked.reshape(len(stacked), -1)
    return jnp.concatenate([flat.real, flat.imag], axis=1) if jnp.iscomplexobj(flat) else flat


def _gram(form: Form, columns: Sequence[Array]) -> Array:
    """K for each channel, put together from its blocks; it is symmetric."""
    blocks: dict[tuple[int, int], Any] = {}
    for j, h in enumerate(columns):
        for i, g in enumerate(columns[: j + 1]):
            blocks[i, j] = form.pair(g, h)
            blocks[j, i] = jnp.swapaxes(blocks[i, j], 1, 2)
    numbers = range(len(columns))
    return jnp.concatenate([jnp.concatenate([blocks[i, j] for j in numbers], axis=2) for i in numbers], axis=1)


def _along_itself(triple: Triple, start: int) -> Triple:
    """Each element has one direction, along itself; a complex one has two, along 1 and i."""
    shape, dtype = np.shape(triple.value), jnp.result_type(triple.value)
    units = [1, 1j] if jnp.iscomplexobj(triple.value) else [1]
    data = np.stack([np.full(shape, unit, dtype) for unit in units])
    index = start + np.arange(data.size).reshape(data.shape)
    return Triple(triple.value, Tangents(data, rows(index)), triple.applied)

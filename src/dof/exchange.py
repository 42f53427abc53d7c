"""At a cut, its elements take the place of the coordinates of x.

    K_ij = Σ_kl q_kl g_k(i) g_l(j)

The directions g_k are exchanged for those along the elements themselves, and the form q for K. K is a polynomial in the
derivatives g: right for any rank and any sign, and differentiable as often as one likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.array_types import Array
from dof.coupling import Coupling
from dof.form import Form
from dof.rows import rows
from dof.tangents import Tangents, frame_of, in_frame
from dof.triple import Triple


class Exchanged(NamedTuple):
    """The form and the triples after the cut; and the new directions by the old ones, (old, new)."""

    form: Form
    triples: list[Triple]
    directions: Array


def exchange(form: Form, groups: Sequence[Sequence[Triple]]) -> Exchanged:
    """For triples that all have tangents. Each pair of groups has a part of K for itself: of a group whose derivatives
    do not depend on x, as those of a first linear layer, it is computed once for all points of a batch."""
    frame = frame_of([triple for group in groups for triple in group])
    columns = [jnp.concatenate([_columns(t, frame) for t in group], axis=1) for group in groups]
    starts = np.cumsum([0, *(c.shape[1] for c in columns)]).tolist()
    new = Form(np.zeros((form.channels, starts[-1])), _couplings(form.within(frame), columns, starts))
    directions = jnp.concatenate(columns, axis=1)
    if len(frame) < form.directions:
        directions = jnp.zeros((form.directions, starts[-1]), directions.dtype).at[frame].set(directions)
    return Exchanged(new, _along_themselves([triple for group in groups for triple in group]), directions)


def _columns(triple: Triple, frame: np.ndarray) -> Array:
    """The tangents as real columns, one for each element; complex elements have two."""
    flat = in_frame(triple, frame).tangents.reshape(len(frame), -1)
    return jnp.concatenate([flat.real, flat.imag], axis=1) if jnp.iscomplexobj(flat) else flat


def _couplings(form: Form, columns: Sequence[Array], starts: Sequence[int]) -> tuple[Coupling, ...]:
    # What varies along a batch comes first in a product, so that the batch is but more rows of one matrix.
    pairs = [(i, j) for i in range(len(columns)) for j in range(i + 1)]
    return tuple(
        Coupling(matrix[None], channel, starts[i], None if i == j else starts[j])
        for i, j in pairs
        for channel, matrix in enumerate(form.pair(columns[i], columns[j]) if i > j else _gram(form, columns[i]))
    )


def _gram(form: Form, g: Array) -> Array:
    """gᵀ q g. Its derivative is the sum of a product and of its mirror image: JAX would compute both."""
    if not form.is_known:  # what is traced must not be closed over
        return form.pair(g, g)

    @jax.custom_jvp
    def gram(g: Array) -> Array:
        return form.pair(g, g)

    @gram.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        half = form.pair(*primals, *tangents)
        return gram(*primals), half + jnp.swapaxes(half, 1, 2)

    return gram(g)


def _along_themselves(triples: Sequence[Triple]) -> list[Triple]:
    start, found = 0, []
    for triple in triples:
        tangents = _along_itself(triple, start)
        start += tangents.data.size
        found.append(Triple(triple.value, tangents, triple.applied))
    return found


def _along_itself(triple: Triple, start: int) -> Tangents:
    """Each element has one direction, along itself; a complex one has two, along 1 and i."""
    shape, dtype = np.shape(triple.value), jnp.result_type(triple.value)
    units = [1, 1j] if jnp.iscomplexobj(triple.value) else [1]
    data = np.stack([np.full(shape, unit, dtype) for unit in units])
    return Tangents(data, rows(start + np.arange(data.size).reshape(data.shape)))

"""The change of coordinates at a cut: its elements C take the place of the coordinates of x.

    K_ij = Σ_kl q_kl ∂_k C_i ∂_l C_j

After it there is one direction for each element C_i, and the form is K instead of q. K is a polynomial in the tangents:
right for any rank and any sign, and differentiable as often as one likes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dof.triples.couplings import Coupling
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import compressed
from dof.triples.slots_to_stacks import frame_of, in_frame
from dof.triples.triple import SlotTriple
from dof.typing import Array


class NewCoordinates(NamedTuple):
    """What a propagation goes on with after a cut.

    Attributes:
        form: K, for each channel.
        triples: the values of the cut, each element with one direction, along itself.
        directions: ∂_k C_i, an array (old directions k, new directions i).
    """

    form: QuadraticForm
    triples: list[SlotTriple]
    directions: Array


def change_coordinates(
    form: QuadraticForm, shared: Sequence[SlotTriple], others: Sequence[SlotTriple]
) -> NewCoordinates:
    """Make the elements of some values the coordinates.

    Args:
        form: the form before the cut.
        shared: values with tangents that do not depend on x, as those of a first linear layer. Their part of K is
            computed once for all points of a batch.
        others: the other values of the cut, with tangents.
    """
    frame = frame_of([*shared, *others])
    groups = [jnp.concatenate([_columns(t, frame) for t in group], axis=1) for group in (shared, others) if group]
    starts = np.cumsum([0, *(g.shape[1] for g in groups)]).tolist()
    parts = _parts_of_gram(form.within(frame), groups)
    # Only the others can lack derivatives: shared values come from x by linear and piecewise linear steps alone.
    # A value such as sqrt at zero may be masked after the cut; its infinite tangent must not turn all of K into NaN.
    has_derivatives = _is_finite(parts[len(groups) - 1, len(groups) - 1]) if others else None
    couplings = [
        Coupling(matrix[None], channel, starts[i], None if i == j else starts[j])
        for (i, j), part in parts.items()
        for channel, matrix in enumerate(_masked(part, i, j, len(groups) - 1, has_derivatives))
    ]
    directions = jnp.concatenate(groups, axis=1)
    # Directions that move no element of the cut are not in the frame: their rows are zero.
    if len(frame) < form.directions:
        directions = jnp.zeros((form.directions, starts[-1]), directions.dtype).at[frame].set(directions)
    new = QuadraticForm(np.zeros((form.channels, starts[-1])), tuple(couplings))
    return NewCoordinates(new, _along_themselves(shared, others, has_derivatives), directions)


def _columns(triple: SlotTriple, frame: np.ndarray) -> Array:
    """The tangents of a value as real numbers (r, elements); a complex element counts as two."""
    flat = in_frame(triple, frame).tangents.reshape(len(frame), -1)
    return jnp.concatenate([flat.real, flat.imag], axis=1) if jnp.iscomplexobj(flat) else flat


def _parts_of_gram(form: QuadraticForm, groups: Sequence[Array]) -> dict[tuple[int, int], Array]:
    # What varies along a batch comes first in a product, so that the batch is but more rows of one matrix.
    pairs = [(i, j) for i in range(len(groups)) for j in range(i + 1)]
    return {(i, j): form.pair(groups[i], groups[j]) if i > j else _gram(form, groups[i]) for i, j in pairs}


def _is_finite(gram: Array) -> Array:
    """Which elements have finite derivatives. One that has not may be masked by a later step, so K must not see it."""
    return jnp.isfinite(jnp.diagonal(gram, axis1=1, axis2=2)).all(axis=0)


def _masked(part: Array, i: int, j: int, last: int, has_derivatives: Array | None) -> Array:
    """A part of K without the elements of the last group that have no derivatives."""
    # Parts have i ≥ j: where the rows are not of the last group, the columns are not either.
    if has_derivatives is None or i < last:
        return part
    kept = has_derivatives[:, None] & has_derivatives if i == j else has_derivatives[:, None]
    return jnp.where(kept, part, 0)


def _gram(form: QuadraticForm, g: Array) -> Array:
    """gᵀ q g for each channel: (r, m) to (c, m, m).

    Its derivative is gᵀ q ġ plus the transpose of that. JAX by itself would compute both as products.
    """
    if not form.is_known:  # a custom_jvp must not close over what is traced
        return form.pair(g, g)

    @jax.custom_jvp
    def gram(g: Array) -> Array:
        return form.pair(g, g)

    @gram.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        half = form.pair(*primals, *tangents)
        return gram(*primals), half + jnp.swapaxes(half, 1, 2)

    return gram(g)


def _along_themselves(
    shared: Sequence[SlotTriple], others: Sequence[SlotTriple], has_derivatives: Array | None
) -> list[SlotTriple]:
    """Each element with one direction, along itself, and the tangent 1; NaN if it has no derivatives."""
    start, found = 0, []
    first = sum(_units(triple).size for triple in shared)
    for n, triple in enumerate([*shared, *others]):
        data = units = _units(triple)
        if n >= len(shared) and has_derivatives is not None:
            there = has_derivatives[start - first : start - first + units.size].reshape(units.shape)
            data = jnp.where(there, units, np.nan)
        # In the order of `_columns`: all real parts of a value, then all imaginary ones.
        slots = compressed(start + np.arange(units.size).reshape(units.shape))
        found.append(SlotTriple(triple.value, SlotTangents(data, slots), triple.applied))
        start += units.size
    return found


def _units(triple: SlotTriple) -> np.ndarray:
    """The tangents of a value of shape s along its own elements: ones (1, *s), or 1 and i (2, *s) if it is complex."""
    shape, dtype = np.shape(triple.value), jnp.result_type(triple.value)
    units = [1, 1j] if jnp.iscomplexobj(triple.value) else [1]
    return np.stack([np.full(shape, unit, dtype) for unit in units])

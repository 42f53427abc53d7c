"""Sums over elements that have directions of their own, straight into tangents whose directions all elements share.

    g'_k = Σ_i F_i g_ki

Direction k is found in few elements i. Only these are summed, which is far less than all of them for every k: the
tangents of x W are W itself for the Laplacian, not a product with an N × N identity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.jax_compat import Primitive, find_primitive
from dof.sparsity.slot_flow import FLOWS
from dof.triples.slots import NONE, Rows, uniform
from dof.triples.tangents import Tangents, has_tangents
from dof.triples.triple import value_of
from dof.typing import Array


class Places(NamedTuple):
    """Where each direction is found among n positions: m times (slot, position), of which some may not be there."""

    n: int
    directions: np.ndarray
    slot: np.ndarray
    position: np.ndarray
    is_there: np.ndarray

    @property
    def in_order(self) -> bool:
        """Whether direction k is found at position k, and nowhere else, for all positions."""
        once = self.slot.shape == (self.n, 1) and not self.slot.any()
        return once and np.array_equal(self.position.ravel(), np.arange(self.n))


def find_places(index: np.ndarray) -> Places | None:
    """For an index (slots, n); None if some directions are found so often that the table would be mostly empty."""
    slot, position = np.nonzero(index != NONE)
    directions, number, counts = np.unique(index[slot, position], return_inverse=True, return_counts=True)
    often = int(counts.max(initial=0))
    if not often or len(directions) * often > 2 * len(slot):
        return None
    order = np.argsort(number, kind="stable")
    turn = np.arange(len(slot)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.zeros((3, len(directions), often), int)
    table[:, number[order], turn] = np.stack([slot[order], position[order], np.ones_like(slot)])
    return Places(index.shape[1], directions, table[0], table[1], table[2].astype(bool))


def varying_axes(these: Rows) -> tuple[int, ...]:
    """The axes of the value along which the directions differ."""
    return tuple(a - 1 for a, n in enumerate(these.index.shape) if a and n > 1)


def _front(array: Any, axes: Sequence[int], kept: int) -> Any:
    """`axes` joined into one, behind the first `kept`."""
    moved = jnp.moveaxis(array, axes, range(kept, kept + len(axes)))
    return moved.reshape(*moved.shape[:kept], -1, *moved.shape[kept + len(axes) :])


def _gather(tangents: Tangents, axes: tuple[int, ...], places: Places) -> Array:
    """The data as (directions, times that each is found, remaining axes)."""
    data = _front(tangents.data, [a + 1 for a in axes], 1)
    if places.in_order:
        return data[0][:, None]
    found = data[places.slot, places.position]
    there = places.is_there.reshape(*places.is_there.shape, *[1] * (found.ndim - 2))
    return found if there.all() else jnp.where(there, found, 0)


def _sum(params: dict[str, Any], tangents: Tangents, axes: tuple[int, ...], places: Places) -> Array:
    rest = [a for a in range(tangents.data.ndim - 1) if a not in axes]
    reduced = [2 + n for n, a in enumerate(rest) if a in params["axes"]]
    return jnp.sum(_gather(tangents, axes, places), axis=(1, *reduced))


def _dot(
    params: dict[str, Any], tangents: Tangents, axes: tuple[int, ...], places: Places, side: int, other: Any
) -> Array:
    """The contraction runs, for each direction, over the elements that it is found in."""
    labels, result = _labels(params["dimension_numbers"], side, tangents.data.ndim - 1, jnp.ndim(other))
    mixed = [labels[side][a] for a in axes]
    weights = _front(other, [labels[1 - side].index(label) for label in mixed], 0)
    factors = [_gather(tangents, axes, places), weights[:, None] if places.in_order else weights[places.position]]
    left = [["k", "m", *(n for n in names if n not in mixed)] for names in (labels[side], labels[1 - side])]
    number = {name: n for n, name in enumerate(dict.fromkeys(["k", *left[0], *left[1]]))}
    operands = [
        part for factor, names in zip(factors, left, strict=True) for part in (factor, [number[n] for n in names])
    ]
    asked = {name: params[name] for name in ("precision", "preferred_element_type")}
    return jnp.einsum(*operands, [number[n] for n in ("k", *result)], **asked)


def _labels(numbers: Any, side: int, ndim: int, other_ndim: int) -> tuple[list[list[str]], list[str]]:
    """A name for each axis of both sides, equal for axes that meet, and the names of the axes of the result."""
    ndims = (ndim, other_ndim) if side == 0 else (other_ndim, ndim)
    labels = [[f"{s}{a}" for a in range(ndims[s])] for s in (0, 1)]
    contracted, batch = numbers
    for left, right in zip((*contracted[0], *batch[0]), (*contracted[1], *batch[1]), strict=True):
        labels[1][right] = labels[0][left]
    shared = [labels[0][a] for a in batch[0]]
    free = [n for s in (0, 1) for a, n in enumerate(labels[s]) if a not in (*contracted[s], *batch[s])]
    return labels, [*shared, *free]


def spread_sum(primitive: Primitive, params: dict[str, Any], operands: Sequence[Any]) -> Tangents | None:
    """The tangents of a sum in which one operand varies, if its directions differ along axes that are summed over and
    along no others."""
    side = next(n for n, operand in enumerate(operands) if has_tangents(operand))
    tangents = operands[side].tangents
    axes = varying_axes(tangents.rows)
    if primitive not in SUMS or not set(axes) <= set(FLOWS[primitive].mixes(params, side)):
        return None
    places = find_places(tangents.rows.index.reshape(len(tangents.rows), -1))
    if places is None:
        return None
    others = [side, value_of(operands[1 - side])] if len(operands) == 2 else []
    data = SUMS[primitive](params, tangents, axes, places, *others)
    return Tangents(data, uniform(places.directions, data.ndim - 1))


def inner_or_outer(primitive: Primitive, params: dict[str, Any], operands: Sequence[Any]) -> Callable[..., Any] | None:
    """A matrix product as products of elements and their sum, in which elements keep their directions, if there are no
    more products than elements of the operands or of the result: inner products and outer ones."""
    if primitive is not find_primitive("dot_general"):
        return None
    numbers, ndims = params["dimension_numbers"], [jnp.ndim(value_of(o)) for o in operands]
    labels, result = _labels(numbers, 0, *ndims)
    contracted, batch = numbers
    is_inner = all(len(c) + len(b) == n for c, b, n in zip(contracted, batch, ndims, strict=True))
    if contracted[0] and not is_inner:
        return None
    summed = [labels[0][a] for a in contracted[0]]
    asked = params["preferred_element_type"]

    def product(x: Any, y: Any) -> list[Any]:
        typed = [v if asked is None else v.astype(asked) for v in (x, y)]
        lifted = [_lifted(v, names, [*result, *summed]) for v, names in zip(typed, labels, strict=True)]
        return [jnp.sum(lifted[0] * lifted[1], axis=tuple(range(len(result), len(result) + len(summed))))]

    return product


def _lifted(array: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    """With axes in the wanted order, of size one where it has none."""
    order = [names.index(name) for name in wanted if name in names]
    missing = [n for n, name in enumerate(wanted) if name not in names]
    return jnp.expand_dims(jnp.transpose(array, order), missing)


SUMS: dict[Any, Callable[..., Array]] = {find_primitive("reduce_sum"): _sum, find_primitive("dot_general"): _dot}

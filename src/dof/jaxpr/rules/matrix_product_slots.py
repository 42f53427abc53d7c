"""How the slots of elements go through a matrix product (`dot_general`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.sparsity.slot_flow import Index, Params, SlotFlow
from dof.sparsity.sums_by_direction import Occurrences, by_direction, join_axes
from dof.triples.slot_tangents import SlotTangents
from dof.triples.triple import value_of
from dof.typing import Array


def _move_slots(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    """The index of the result: its axes are batch, free ones of the left side, free ones of the right side."""
    contracted, batch = params["dimension_numbers"]
    varying = next(n for n, index in enumerate(indices) if len(index))
    free = [[a for a in range(len(shapes[n])) if a not in (*contracted[n], *batch[n])] for n in (0, 1)]
    index = indices[varying]
    moved = np.transpose(index, (0, *(a + 1 for a in (*batch[varying], *free[varying], *contracted[varying]))))
    moved = moved.reshape(moved.shape[: moved.ndim - len(contracted[varying])])
    before, after = (0, len(free[1])) if varying == 0 else (len(free[0]), 0)
    kept = 1 + len(batch[varying])
    return [moved.reshape(*moved.shape[:kept], *[1] * before, *moved.shape[kept:], *[1] * after)]


DOT_SLOTS = SlotFlow(
    _move_slots, mixes=lambda params, operand: params["dimension_numbers"][0][operand], one_operand_only=True
)


def dot_by_direction(
    params: Params, tangents: SlotTangents, axes: tuple[int, ...], found: Occurrences, side: int, other: Any
) -> Array:
    """The product, where the contraction runs for each direction over the elements that it occurs in."""
    names = _labels(params["dimension_numbers"], side, tangents.data.ndim - 1, jnp.ndim(other))
    weights = join_axes(other, _partners(names[0], axes, side), 0)
    chosen = weights[:, None] if found.in_order else weights[found.position]
    return _contracted(params, names, axes, side, [by_direction(tangents, axes, found), chosen], ["k"])


def dot_over_directions(
    params: Params, tangents: SlotTangents, axes: tuple[int, ...], found: Occurrences, side: int, other: Any
) -> Array:
    """Σ_k of the products of the tangents along direction k of both sides, those of the other one as a stack."""
    names = _labels(params["dimension_numbers"], side, tangents.data.ndim - 1, jnp.ndim(other) - 1)
    stack = join_axes(other, [1 + a for a in _partners(names[0], axes, side)], 1)
    chosen = stack[np.arange(len(stack))[:, None], found.position]
    return _contracted(params, names, axes, side, [by_direction(tangents, axes, found), chosen], [])


def _partners(labels: list[list[str]], axes: Sequence[int], side: int) -> list[int]:
    """The axes of the other side that these axes of one side are contracted with."""
    return [labels[1 - side].index(labels[side][a]) for a in axes]


def _contracted(
    params: Params, names: Any, axes: Sequence[int], side: int, factors: Sequence[Any], kept: list[str]
) -> Array:
    """The product of factors (direction k, occurrence m, remaining axes), the one of `side` first."""
    labels, result = names
    mixed = [labels[side][a] for a in axes]
    left = [["k", "m", *(n for n in each if n not in mixed)] for each in (labels[side], labels[1 - side])]
    number = {name: n for n, name in enumerate(dict.fromkeys(["k", *left[0], *left[1]]))}
    operands = [
        part for factor, each in zip(factors, left, strict=True) for part in (factor, [number[n] for n in each])
    ]
    asked = {name: params[name] for name in ("precision", "preferred_element_type")}
    return jnp.einsum(*operands, [number[n] for n in (*kept, *result)], **asked)


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


def inner_or_outer_product(params: Params, operands: Sequence[Any]) -> Callable[..., Any] | None:
    """An inner or outer product as products of elements and their sum, in which elements keep their slots.

    Returns None for other matrix products, which would have more products than elements of operands and result.
    """
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
    """The array with axes in the wanted order, of size one where it has none."""
    order = [names.index(name) for name in wanted if name in names]
    missing = [n for n, name in enumerate(wanted) if name not in names]
    return jnp.expand_dims(jnp.transpose(array, order), missing)

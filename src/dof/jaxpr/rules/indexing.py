"""Indexing: elements are moved, repeated, dropped or chosen, never mixed. The same map on value, tangents, applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dof.jaxpr.first_order_rules import linear_rule, piecewise_rule
from dof.jaxpr.registry import register_named
from dof.jaxpr.rules.known_indices import moving_slots
from dof.sparsity.slot_flow import Index, Params, SlotFlow, full_index, with_equal_slots

Moves = Callable[[Params, list[Index], Any], list[Index]]


def moves_slots(name: str) -> Callable[[Moves], Moves]:
    """Register the primitive `name`, of which the decorated function says where slots go."""

    def decorate(moves: Moves) -> Moves:
        register_named(name, "indexing", linear_rule, slot_flow=SlotFlow(moves))
        return moves

    return decorate


@moves_slots("broadcast_in_dim")
def _broadcast_in_dim(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    shape = [1] * len(params["shape"])
    for axis, place in enumerate(params["broadcast_dimensions"]):
        shape[place] = indices[0].shape[axis + 1]
    return [indices[0].reshape(-1, *shape)]


@moves_slots("reshape")
def _reshape(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    # In full first: an axis of size one in the index may be a long one of the value, which is joined with others here.
    return [full_index(indices[0], shapes[0]).reshape(-1, *params["new_sizes"])]


@moves_slots("transpose")
def _transpose(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    return [np.transpose(indices[0], (0, *(p + 1 for p in params["permutation"])))]


@moves_slots("squeeze")
def _squeeze(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    return [np.squeeze(indices[0], tuple(d + 1 for d in params["dimensions"]))]


@moves_slots("rev")
def _rev(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    return [np.flip(indices[0], tuple(d + 1 for d in params["dimensions"]))]


@moves_slots("slice")
def _slice(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    strides = params["strides"] or [1] * len(shapes[0])
    # Where the index has size one it holds for all elements of the axis, and slicing it would leave nothing.
    bounds = zip(params["start_indices"], params["limit_indices"], strides, indices[0].shape[1:], strict=True)
    return [indices[0][(slice(None), *(slice(None) if n == 1 else slice(a, b, s) for a, b, s, n in bounds))]]


@moves_slots("split")
def _split(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    axis, sizes = params["axis"] + 1, params["sizes"]
    if indices[0].shape[axis] == 1:
        return [indices[0]] * len(sizes)
    return np.split(indices[0], np.cumsum(sizes)[:-1], axis)


@moves_slots("concatenate")
def _concatenate(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    return [np.concatenate(with_equal_slots(indices, shapes), axis=params["dimension"] + 1)]


@moves_slots("stack")
def _stack(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    return [np.stack(with_equal_slots(indices, shapes), axis=params["axis"] + 1)]


@moves_slots("unstack")
def _unstack(params: Params, indices: list[Index], shapes: Any) -> list[Index]:
    full, axis = full_index(indices[0], shapes[0]), params["axis"] + 1
    return [np.take(full, n, axis) for n in range(full.shape[axis])]


register_named("select_n", "indexing", linear_rule, is_elementwise=True)
for _name in ("dynamic_slice", "pad", "tile"):
    register_named(_name, "indexing", linear_rule, slot_flow=moving_slots(_name), has_index_operands=True)
register_named("dynamic_update_slice scatter-add scatter-sub", "indexing", linear_rule)

# As JAX differentiates them: an index that is out of bounds may read a fill value, whose derivative is zero; where
# several updates go to one place, the derivative must come from the one that won.
register_named("gather", "indexing", piecewise_rule, slot_flow=moving_slots("gather"), has_index_operands=True)
register_named("scatter", "indexing", piecewise_rule)

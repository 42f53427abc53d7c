"""How the directions of elements go with them through linear equations that move elements, or mix some of their axes.

A flow says, for an equation, which axes of each operand get mixed, and what the index of each result is, given those of
the operands after the mixed axes were collapsed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dof.jax_compat import Primitive, find_primitive
from dof.triples.slots import NONE

Index = np.ndarray


class Flow(NamedTuple):
    mixes: Callable[[dict[str, Any], int], Sequence[int]]
    """(parameters, number of the operand) ↦ axes"""
    moves: Callable[[dict[str, Any], list[Index], list[tuple[int, ...]]], list[Index]]
    """(parameters, indices of the operands, their shapes) ↦ indices of the results"""
    one_side_only: bool = False
    """Whether it holds only if a single operand varies."""


FLOWS: dict[Primitive, Flow] = {}


def flow(
    name: str,
    mixes: Callable[[dict[str, Any], int], Sequence[int]] = lambda params, operand: (),
    one_side_only: bool = False,
) -> Any:
    """Decorates `moves` of the primitive that is called `name`."""

    def decorate(moves: Callable[..., Any]) -> Callable[..., Any]:
        primitive = find_primitive(name)
        if primitive is not None:
            FLOWS[primitive] = Flow(mixes, moves, one_side_only)
        return moves

    return decorate


def _full(index: Index, shape: tuple[int, ...]) -> Index:
    return np.broadcast_to(index, (len(index), *shape))


@flow("reduce_sum", lambda params, _: params["axes"])
def reduce_sum(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return [np.squeeze(indices[0], tuple(a + 1 for a in params["axes"]))]


@flow("cumsum", lambda params, _: (params["axis"],))
def cumsum(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return indices


@flow("broadcast_in_dim")
def broadcast_in_dim(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    shape = [1] * len(params["shape"])
    for axis, place in enumerate(params["broadcast_dimensions"]):
        shape[place] = indices[0].shape[axis + 1]
    return [indices[0].reshape(-1, *shape)]


@flow("reshape")
def reshape(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return [_full(indices[0], shapes[0]).reshape(-1, *params["new_sizes"])]


@flow("transpose")
def transpose(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return [np.transpose(indices[0], (0, *(p + 1 for p in params["permutation"])))]


@flow("squeeze")
def squeeze(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return [np.squeeze(indices[0], tuple(d + 1 for d in params["dimensions"]))]


@flow("rev")
def rev(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return [np.flip(indices[0], tuple(d + 1 for d in params["dimensions"]))]


@flow("slice")
def slice_(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    strides = params["strides"] or [1] * len(shapes[0])
    bounds = zip(params["start_indices"], params["limit_indices"], strides, indices[0].shape[1:], strict=True)
    return [indices[0][(slice(None), *(slice(None) if n == 1 else slice(a, b, s) for a, b, s, n in bounds))]]


@flow("split")
def split(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    axis, sizes = params["axis"] + 1, params["sizes"]
    if indices[0].shape[axis] == 1:
        return [indices[0]] * len(sizes)
    return np.split(indices[0], np.cumsum(sizes)[:-1], axis)


@flow("concatenate")
def concatenate(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return [np.concatenate(_same_slots(indices, shapes), axis=params["dimension"] + 1)]


@flow("stack")
def stack(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    return [np.stack(_same_slots(indices, shapes), axis=params["axis"] + 1)]


@flow("unstack")
def unstack(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    full, axis = _full(indices[0], shapes[0]), params["axis"] + 1
    return [np.take(full, n, axis) for n in range(full.shape[axis])]


def _same_slots(indices: list[Index], shapes: list[tuple[int, ...]]) -> list[Index]:
    slots = max(map(len, indices))
    full = [_full(index, shape) for index, shape in zip(indices, shapes, strict=True)]
    return [np.concatenate([f, np.full((slots - len(f), *f.shape[1:]), NONE)]) for f in full]


def _contracted(params: dict[str, Any], operand: int) -> Sequence[int]:
    return params["dimension_numbers"][0][operand]


@flow("dot_general", _contracted, one_side_only=True)
def dot_general(params: dict[str, Any], indices: list[Index], shapes: Any) -> list[Index]:
    """One side varies. Results have the axes: batch, free ones of the left side, free ones of the right side."""
    contracted, batch = params["dimension_numbers"]
    varying = next(n for n, index in enumerate(indices) if len(index))
    free = [[a for a in range(len(shapes[n])) if a not in (*contracted[n], *batch[n])] for n in (0, 1)]
    index = indices[varying]
    moved = np.transpose(index, (0, *(a + 1 for a in (*batch[varying], *free[varying], *contracted[varying]))))
    moved = moved.reshape(moved.shape[: moved.ndim - len(contracted[varying])])
    before, after = (0, len(free[1])) if varying == 0 else (len(free[0]), 0)
    kept = 1 + len(batch[varying])
    return [moved.reshape(*moved.shape[:kept], *[1] * before, *moved.shape[kept:], *[1] * after)]

"""Slot flow: where the slots of elements go in a linear operation that moves elements, or sums over some axes.

The flow of a primitive is in its record, beside its rule (`dof.jaxpr.rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dof.directions.sparse_rows import EMPTY

Index = np.ndarray
"""Of slots: (k, *b), see `dof.triples.slots`."""
Params = dict[str, Any]
Shape = tuple[int, ...]


def mixes_nothing(params: Params, operand: int) -> Sequence[int]:
    """No axes are mixed: elements are only moved."""
    return ()


class SlotFlow(NamedTuple):
    """How slots go through an operation.

    Attributes:
        moves: (params, indices of the operands, their shapes) ↦ indices of the results. The indices have size one along
            mixed axes, whose directions were joined before.
        mixes: (params, number of an operand) ↦ the axes of the operand that are summed over or otherwise mixed.
        one_operand_only: whether this holds only if a single operand depends on x.
    """

    moves: Callable[[Params, list[Index], list[Shape]], list[Index]]
    mixes: Callable[[Params, int], Sequence[int]] = mixes_nothing
    one_operand_only: bool = False


def full_index(index: Index, shape: Shape) -> Index:
    """The index with one entry for each element of a value of this shape."""
    return np.broadcast_to(index, (len(index), *shape))


def with_equal_slots(indices: list[Index], shapes: list[Shape]) -> list[Index]:
    """Full indices with the same number of slots, where missing ones are empty."""
    slots = max(map(len, indices))
    full = [full_index(index, shape) for index, shape in zip(indices, shapes, strict=True)]
    return [np.concatenate([f, np.full((slots - len(f), *f.shape[1:]), EMPTY)]) for f in full]

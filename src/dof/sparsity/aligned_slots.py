"""The same slot for the same direction, in operands that are put side by side along an axis.

    concatenate((r_i − r_j)_c, |r_i − r_j|)

The component c depends on direction c of either particle, the distance on all six. With the directions of each operand
in order, 3 j + c would be in slot 1 of the component and in slot 3 + c of the distance, and whatever comes later would
select it from each slot on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np

from dof.directions.sparse_rows import EMPTY
from dof.triples.slots import Slots, collapse, compressed, merge


def aligned(several: Sequence[Slots | None], axis: SupportsIndex) -> list[Slots | None]:
    """The slots of operands that are put side by side along `axis`; None for an operand without tangents.

    As they are, if all directions along the axis together need more slots than one of the operands.
    """
    own = [slots for slots in several if slots is not None]
    every = merge([collapse(slots, [axis]) for slots in own])
    if len(every) > max(map(len, own)):
        return list(several)
    return [slots and _arranged(slots, every.index) for slots in several]


def _arranged(slots: Slots, index: np.ndarray) -> Slots:
    """The directions of each element in the places that they have in `index`."""
    has = (index[:, None] == slots.index[None]).any(axis=1)
    return compressed(np.where(has, index, EMPTY))

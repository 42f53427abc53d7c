"""The complement of a combination of boxes, cut into boxes, for its distance where faces of boxes coincide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dof.pde.geometry.box import Box
from dof.pde.geometry.corners import Corner, corner_between
from dof.pde.geometry.domain import Domain
from dof.pde.geometry.product import Product

MOST_CELLS = 2**14
"""Cells of the grid that are looked at; beyond it the distance would have too many factors."""


def are_boxes(shapes: Sequence[Domain]) -> bool:
    """Whether all shapes are boxes, or products of boxes, intervals, times and parameters, with all their faces."""
    parts = [part for shape in shapes for part in (shape.parts if isinstance(shape, Product) else (shape,))]
    return all(
        isinstance(part, Box) and (part.piece_count == 0 or bool((part.face_shares > 0).all())) for part in parts
    )


@dataclass(frozen=True)
class BoxesAround:
    """What is outside of a combination of boxes.

    Attributes:
        axes: Of space.
        whole: The smallest box around the combination.
        missing: Boxes that the combination leaves of it.
        corners: Those of other boxes that are missing: each of them in a corner of the whole, or along an edge of it.
    """

    axes: np.ndarray
    whole: Box
    missing: tuple[Box, ...]
    corners: tuple[Corner, ...]


def boxes_around(domain: Domain, shapes: Sequence[Domain]) -> BoxesAround | None:
    """What is outside of a combination of boxes; None if the grid of all faces has too many cells."""
    # int32: with 32-bit numbers JAX refuses indices of 64 bits.
    axes = np.flatnonzero(~(domain.is_time | domain.is_parameter)).astype(np.int32)
    ends = [np.unique([bound[axis] for shape in shapes for bound in shape.bounds]) for axis in axes]
    if np.prod([len(end) - 1.0 for end in ends]) > MOST_CELLS:
        return None
    middles = np.meshgrid(*[(end[:-1] + end[1:]) / 2 for end in ends], indexing="ij")
    points = np.tile(np.add(*domain.bounds) / 2, (middles[0].size, 1))
    points[:, axes] = np.stack([middle.ravel() for middle in middles], axis=1)
    is_in = domain.contains(points).reshape(middles[0].shape)
    # Cut to the cells that the combination reaches.
    reach = [np.flatnonzero(is_in.any(axis=tuple(j for j in range(len(axes)) if j != i))) for i in range(len(axes))]
    spans = [slice(r[0], r[-1] + 1) for r in reach]
    ends = [end[r[0] : r[-1] + 2] for end, r in zip(ends, reach, strict=True)]
    whole = Box([end[0] for end in ends], [end[-1] for end in ends])
    each = [(box, _corner(box, whole, axes)) for box in _merged(~is_in[tuple(spans)], ends)]
    corners = tuple(corner for _, corner in each if corner is not None)
    return BoxesAround(axes, whole, tuple(box for box, corner in each if corner is None), corners)


def _corner(box: Box, whole: Box, axes: np.ndarray) -> Corner | None:
    """The corner that a missing box makes, if two of its faces, across two coordinates, lie inside of the whole."""
    is_inner = np.stack([box.low > whole.low, box.high < whole.high], axis=1)
    across = np.flatnonzero(is_inner.any(axis=1))
    if len(across) != 2 or is_inner.sum() != 2:
        return None
    place = np.where(is_inner[:, 0], box.low, box.high)[across]
    outwards = np.diag(np.where(is_inner[across, 0], 1.0, -1.0))
    return corner_between(outwards, place, float(whole.sides[across].max()), axes[across])


def _merged(cells: np.ndarray, ends: Sequence[np.ndarray]) -> list[Box]:
    """Boxes that fill the cells which are True: each as large as it can be, first along the last axis."""
    left, found = cells.copy(), []
    while left.any():
        low = np.argwhere(left)[0]
        high = low + 1
        for axis in reversed(range(left.ndim)):
            while high[axis] < left.shape[axis]:
                more = high.copy()
                more[axis] += 1
                if not left[tuple(map(slice, low, more))].all():
                    break
                high = more
        left[tuple(map(slice, low, high))] = False
        found.append(Box(*([float(end[i]) for end, i in zip(ends, corner, strict=True)] for corner in (low, high))))
    return found

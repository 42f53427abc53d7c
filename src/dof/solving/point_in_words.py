"""A point in words, for messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHOWN_COORDINATES = 6
"""Coordinates of a point that are said; more do not fit into a line."""


def place(point: np.ndarray, coordinates: Sequence[str]) -> str:
    """A point in words, as "x = 0.5, t = 1"."""
    pairs = zip(coordinates, point[:SHOWN_COORDINATES], strict=False)
    more = ", …" * (len(point) > SHOWN_COORDINATES)
    return ", ".join(f"{coordinate} = {value:.6g}" for coordinate, value in pairs) + more

"""Neighbouring directions that an operator weighs alike."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    """Neighbouring directions with the same weights, one weight for each channel."""

    start: int
    stop: int
    weights: tuple[float, ...]


def runs_of(weights: np.ndarray) -> tuple[Run, ...]:
    """The runs of weights (c, r)."""
    found, start = [], 0
    for column, same in groupby(map(tuple, weights.T.tolist())):
        count = len(list(same))
        found.append(Run(start, start + count, column))
        start += count
    return tuple(found)

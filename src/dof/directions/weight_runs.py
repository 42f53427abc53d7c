"""Neighbouring directions that an operator weighs alike."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np


class Run(NamedTuple):
    """Neighbouring directions with the same weights, one weight for each channel."""

    start: int
    stop: int
    weights: tuple[float, ...]


def runs_of(weights: np.ndarray) -> tuple[Run, ...]:
    """The runs of weights (c, r)."""
    changes = 1 + np.flatnonzero((weights[:, 1:] != weights[:, :-1]).any(axis=0))
    ends = [0, *changes.tolist(), weights.shape[1]]
    return tuple(Run(a, b, tuple(weights[:, a].tolist())) for a, b in pairwise(ends) if a < b)

"""Points of a set by rejection: candidates that are not accepted are replaced by random ones."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

import numpy as np

from dof.errors import ArgumentError

NUMBERS_AT_ONCE = 2**22
"""Uniform numbers drawn in one round, 32 MB of them."""
MOST_ROUNDS = 1000
"""In few dimensions 10⁹ candidates by then: a share of less than about 10⁻⁶ of them is accepted."""

Arrays = tuple[np.ndarray, ...]


def by_rejection(
    candidates: Callable[[np.ndarray], tuple[Arrays, np.ndarray]],
    unit: np.ndarray,
    refusal: Callable[[int], ArgumentError],
) -> Arrays:
    """Arrays over points that are all accepted, distributed as the candidates that are.

    Args:
        candidates: From uniform numbers (n, k) to arrays over n candidates, and whether each is accepted.
        unit: Uniform numbers (n, k); the candidates that they make come first.
        refusal: From the number of points that were not found to the error that says so.
    """
    arrays, good = candidates(unit)
    wrong = np.flatnonzero(~good)
    # Seeded by the numbers themselves: resumed runs and both ends of a periodic coordinate get the same points, and
    # points that are drawn anew get others.
    rng, width = np.random.default_rng(crc32(np.ascontiguousarray(unit).tobytes())), len(wrong)
    for _ in range(MOST_ROUNDS):
        if not len(wrong):
            return arrays
        drawn, good = candidates(rng.random((width, unit.shape[1])))
        chosen = np.flatnonzero(good)[: len(wrong)]
        for array, new in zip(arrays, drawn, strict=True):
            array[wrong[: len(chosen)]] = new[chosen]
        wrong = wrong[len(chosen) :]
        # Twice as many each time, as the share that is accepted is not known before.
        width = max(len(wrong), min(2 * width, NUMBERS_AT_ONCE // unit.shape[1]))
    raise refusal(len(wrong))

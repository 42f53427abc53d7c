"""Weights that let a later time count once earlier ones are solved (Wang, Sankaran and Perdikaris 2022)."""

from __future__ import annotations

import numpy as np

SLABS = 32
"""Into how many slabs time is divided: of a thousand points each has about thirty, whose mean is known to a fifth."""


def causal_factors(times: np.ndarray, squares: np.ndarray, ends: tuple[float, float], causal: float) -> np.ndarray:
    """√w for each point, w = exp(−causal · Σ L_k) over all earlier slabs k, with L_k the mean of |r|² in slab k.

    Args:
        times: (n,)
        squares: |r|² at each point, (n,).
        ends: The first and the last time.
        causal: How strictly earlier times come first.
    """
    slab = np.clip(((times - ends[0]) / (ends[1] - ends[0]) * SLABS).astype(int), 0, SLABS - 1)
    counts = np.bincount(slab, minlength=SLABS)
    # A residual that is not finite ends the training soon, with an error that names it; it must not end here.
    sums = np.bincount(slab, weights=np.where(np.isfinite(squares), squares, 0.0), minlength=SLABS)
    before = np.concatenate([[0.0], np.cumsum(sums / np.maximum(counts, 1))[:-1]])
    return np.exp(-causal / 2 * before)[slab]

"""Medians, their spread, and ratios of medians with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

RESAMPLES = 2000


class Interval(NamedTuple):
    """A figure, and where it lies in 95 of 100 resamplings."""

    value: float
    low: float
    high: float


def interval(it: Interval, unit: str = "") -> str:
    return f"{it.value:.3g}{unit} ({it.low:.3g}–{it.high:.3g})"


def median(samples: Sequence[float]) -> float:
    return float(np.median(samples))


def spread(samples: Sequence[float]) -> float:
    """Half the distance of the quartiles, relative to the median."""
    low, middle, high = np.percentile(samples, [25, 50, 75])
    return float((high - low) / (2 * middle))


def ratio(numerator: Sequence[float], denominator: Sequence[float]) -> Interval:
    """Of medians. Both sides are resampled, by rounds if they took turns: a slow moment has met both."""
    top, bottom = np.asarray(numerator), np.asarray(denominator)
    rng = np.random.default_rng(0)
    i = rng.integers(len(top), size=(RESAMPLES, len(top)))
    j = i if len(top) == len(bottom) else rng.integers(len(bottom), size=(RESAMPLES, len(bottom)))
    ratios = np.median(top[i], axis=1) / np.median(bottom[j], axis=1)
    return Interval(median(numerator) / median(denominator), *map(float, np.percentile(ratios, [2.5, 97.5])))

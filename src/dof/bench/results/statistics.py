"""Medians, their quartile deviation, and ratios of medians with confidence intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

RESAMPLES = 2000
"""Of the bootstrap: enough for two digits of a 95 % interval."""


class ConfidenceInterval(NamedTuple):
    """A figure with its 95 % confidence interval."""

    value: float
    low: float
    high: float


def format_interval(it: ConfidenceInterval, unit: str = "") -> str:
    """As "3.21 (3.18–3.25)", with a unit after the value."""
    return f"{it.value:.3g}{unit} ({it.low:.3g}–{it.high:.3g})"


def median(samples: Sequence[float]) -> float:
    """The median as a Python number."""
    return float(np.median(samples))


def relative_quartile_deviation(samples: Sequence[float]) -> float:
    """Half the distance between the quartiles, relative to the median."""
    low, middle, high = np.percentile(samples, [25, 50, 75])
    return float((high - low) / (2 * middle))


def ratio_of_medians(
    numerator: Sequence[float], denominator: Sequence[float], paired: bool = True
) -> ConfidenceInterval:
    """median(numerator) / median(denominator), with its interval by the percentile bootstrap.

    Args:
        numerator: samples.
        denominator: samples.
        paired: whether the k-th samples of both are from the same round. They are then resampled together, so that a
            slow moment of the machine, which has met both, cancels.
    """
    top, bottom = np.asarray(numerator), np.asarray(denominator)
    # Always the same resamples: the same samples give the same interval in every table.
    rng = np.random.default_rng(0)
    i = rng.integers(len(top), size=(RESAMPLES, len(top)))
    j = i if paired else rng.integers(len(bottom), size=(RESAMPLES, len(bottom)))
    ratios = np.median(top[i], axis=1) / np.median(bottom[j], axis=1)
    return ConfidenceInterval(median(numerator) / median(denominator), *map(float, np.percentile(ratios, [2.5, 97.5])))

"""Points for the terms of a loss: Sobol numbers, scrambled anew for each round, and the same for the same seed."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import qmc

from dof.pde.conditions.loss_term import LossTerm

Batch = tuple[tuple[Any, ...], ...]
"""For each term its arrays over points."""


MOST_DIMENSIONS = 1000


def unit_points(n: int, size: int, seed: Sequence[int]) -> np.ndarray:
    """n points of the unit cube. In very many dimensions Sobol numbers take long and are no better than random ones."""
    rng = np.random.default_rng(seed)
    if size == 0 or size > MOST_DIMENSIONS:
        return rng.random((n, size))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that n is no power of two
        return qmc.Sobol(size, rng=rng).random(n)


def sample(terms: Sequence[LossTerm], counts: Sequence[int], seed: int, round_: int) -> Batch:
    return tuple(
        term.points(unit_points(n, term.uniforms, (seed, round_, k)))
        for k, (term, n) in enumerate(zip(terms, counts, strict=True))
    )


def crowded(arrays: tuple[np.ndarray, ...], residuals: np.ndarray, n: int, seed: Sequence[int]) -> Any:
    """n of the points, half of them evenly, half by the size of the squared residuals there."""
    share = residuals / max(residuals.mean(), 1e-300) + 1.0
    chosen = np.random.default_rng(seed).choice(len(share), n, replace=False, p=share / share.sum())
    return tuple(array[chosen] for array in arrays)


def counts_of(terms: Sequence[LossTerm], points: int, edge_points: int) -> tuple[int, ...]:
    """The equation comes first."""
    wanted = [points, *[edge_points] * (len(terms) - 1)]
    return tuple(term.fixed or n for term, n in zip(terms, wanted, strict=True))


def points_for_error(domain: Any, n: int, seed: int) -> np.ndarray:
    """Where the error is measured: points that no step is taken at."""
    return domain.inside(unit_points(n, domain.uniforms, (seed, 2**31)))

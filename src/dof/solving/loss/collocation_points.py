"""Points for the terms of the loss: Sobol numbers, scrambled anew for each interval, and the same for the same seed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import qmc

from dof.pde.conditions.loss_term import LossTerm

Batch = tuple[tuple[Any, ...], ...]
"""For each term its arrays over points."""

MOST_SOBOL_DIMENSIONS = 1000
"""Beyond so many dimensions points are plain random numbers: SciPy has Sobol numbers up to 21,201 dimensions
only, and makes them more slowly the more there are. The number is chosen, not measured."""
ERROR_ROUND = 2**31
"""The round of the points at which the error is measured. It must be one that no step of training has: NumPy pads
seeds with zeros, so that (seed, round) makes the same stream as (seed, round, 0), that of the equation's points."""

FRESH_ROUND = ERROR_ROUND + 1
"""The round of the points at which residuals are measured, for the same reason."""


def unit_points(n: int, size: int, seed: Sequence[int]) -> np.ndarray:
    """Make n points of the unit cube in `size` dimensions: Sobol numbers, or in very many dimensions random ones."""
    rng = np.random.default_rng(seed)
    if size == 0 or size > MOST_SOBOL_DIMENSIONS:
        return rng.random((n, size))
    with warnings.catch_warnings():
        # SciPy warns that the points are balanced only for powers of two; `points` is what the user asked for.
        warnings.simplefilter("ignore", UserWarning)  # that n is no power of two
        return qmc.Sobol(size, rng=rng).random(n)


def sample(
    terms: Sequence[LossTerm],
    counts: Sequence[int],
    seed: int,
    round_: int,
    changed: Callable[[np.ndarray], np.ndarray] = np.asarray,
) -> Batch:
    """Points for each term, so many as `counts` says; others for each seed and round.

    Args:
        terms: The terms of the loss, the equation first.
        counts: How many points each gets.
        seed: Of training.
        round_: The step at which they are drawn.
        changed: What is done to the uniform numbers of the equation's points, as `Domain.towards_ends`; by default
            nothing.
    """
    units = [
        unit_points(n, term.uniforms, (seed, round_, k)) for k, (term, n) in enumerate(zip(terms, counts, strict=True))
    ]
    units[0] = changed(units[0])
    return tuple(term.points(unit) for term, unit in zip(terms, units, strict=True))


def crowded(arrays: tuple[np.ndarray, ...], residuals: np.ndarray, n: int, seed: Sequence[int]) -> Any:
    """Choose n of the points, with probabilities of which half is even and half in proportion to squared residuals."""
    # The even half keeps points where the residual is small now. 1e-300: all residuals may be zero.
    # A residual that is not finite ends the training soon, with an error that names it; it must not end here.
    finite = np.where(np.isfinite(residuals), residuals, 0.0)
    share = finite / max(finite.mean(), 1e-300) + 1.0
    chosen = np.random.default_rng(seed).choice(len(share), n, replace=False, p=share / share.sum())
    return tuple(array[chosen] for array in arrays)


def counts_of(terms: Sequence[LossTerm], points: int, edge_points: int) -> tuple[int, ...]:
    """How many points each term gets: the equation, which comes first, `points`, measured data their own number."""
    wanted = [points, *[edge_points] * (len(terms) - 1)]
    return tuple(term.fixed or n for term, n in zip(terms, wanted, strict=True))


def fresh_points(terms: Sequence[LossTerm], counts: Sequence[int], seed: int) -> Batch:
    """Points for each term at which residuals are measured; no step of training is taken at them."""
    return sample(terms, counts, seed, FRESH_ROUND)


def points_for_error(domain: Any, n: int, seed: int) -> np.ndarray:
    """Make n points of the domain at which the error is measured; no step of training is taken at them."""
    return domain.inside(unit_points(n, domain.uniforms, (seed, ERROR_ROUND)))

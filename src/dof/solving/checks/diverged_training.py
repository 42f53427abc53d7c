"""When training is given up: a loss that is no number, or that has grown out of all proportion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dof.errors import Diverged
from dof.solving.point_in_words import place

TOO_LARGE = 1e8
"""How many times its first value a loss may become before training is given up: residuals 10⁴ times as large. Chosen
far above the growth by orders of magnitude that first steps of Adam and new weights may cause; not measured."""


def require_convergent(losses: np.ndarray, weights: np.ndarray, first: float, step: int, names: Sequence[str]) -> None:
    """Refuse to go on after losses that are not finite or too large.

    Args:
        losses: Of each step and term, (steps, terms).
        weights: Of the terms, (terms,).
        first: The loss of the first step of training, from which growth is measured.
        step: How many steps were taken before these.
        names: Of the terms.

    Raises:
        Diverged: With the first step and the worst term.
    """
    totals = losses @ weights
    # At least 1: where the first loss is nearly zero, every ordinary loss would be a growth by orders of magnitude.
    bad = np.flatnonzero(~np.isfinite(totals) | (totals > TOO_LARGE * max(first, 1.0)))
    if len(bad):
        of_term = losses[bad[0]]
        worst = int(np.argmax(np.where(np.isfinite(of_term), of_term, np.inf)))
        raise Diverged(
            f"The loss of the term `{names[worst]}` is {of_term[worst]:.3g} at step {step + int(bad[0]) + 1}. "
            "A smaller `rate`, or more `points`, may help."
        )


def require_finite_start(residuals: np.ndarray, points: np.ndarray, coordinates: Sequence[str], name: str) -> None:
    """Refuse a term that is not finite before the first step: no setting of training changes that.

    Args:
        residuals: |r|² at each point, (points,).
        points: (points, coordinates)
        coordinates: The names of the coordinates.
        name: Of the term.

    Raises:
        Diverged: With the term and the first such point.
    """
    bad = np.flatnonzero(~np.isfinite(residuals))
    if len(bad):
        at = place(points[bad[0]], coordinates)
        raise Diverged(
            f"The residual of the term `{name}` is {residuals[bad[0]]:.3g} at step 1, at {at}, and at {len(bad)} of "
            f"{len(residuals)} points, before anything is trained.\n"
            "  Fix: a residual that is finite in the whole domain; look for √, log and divisions there"
        )

"""What is known after each interval of training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Report:
    """What is known after an interval of training.

    Losses, residuals, error and unknowns are those of one θ: after Gauss–Newton steps that of the interval with the
    lowest loss, which need not be its last, and else the last.

    Attributes:
        step: How many steps have been taken in all.
        phase: The optimiser that took the last of them: "adam", "gauss-newton", "stochastic-gauss-newton" or "lbfgs".
        loss: Σ w_k losses_k, with the weights w_k of this interval.
        losses: The mean square residual of each term on the points that were fitted, by the name of the term.
        fresh_losses: The same on fresh points, which training does not see.
        residuals: The root of `fresh_losses`, relative to the size of what each term is made of: 1 for a network that
            has nothing to do with the problem.
        residual: The root of the sum of squares of `residuals`: how far the network is from a solution.
        fitted: The same as `residual` on the points that were fitted. Where it is much smaller, the network is right at
            these points and wrong between them.
        error: |u − reference| / |reference| over points of the domain; None without a reference, and in a window of
            time where it is zero.
        unknowns: The problem's unknown numbers, by name.
        seconds: Of the steps so far, without compilation.
        seconds_per_step: In this interval.
        points_per_second: In this interval, over the points of all terms.
        total_seconds: Of all so far, with compilation, points and measuring, without advice before the first step; 0 in
            files of dof 0.2, which have none.

    Examples:
        >>> import dof
        >>> show = lambda report: print(report.step, report.phase, list(report.losses), report.error > 0)
        >>> solution = dof.solve("poisson", on_report=show, adam=4, newton=0, depth=1, report=2)
        2 adam ['equation'] True
        4 adam ['equation'] True
    """

    step: int
    phase: str
    loss: float
    losses: dict[str, float]
    fresh_losses: dict[str, float]
    residuals: dict[str, float]
    residual: float
    fitted: float
    error: float | None
    unknowns: dict[str, Any]
    seconds: float
    seconds_per_step: float
    points_per_second: float
    total_seconds: float = 0.0

    def __str__(self) -> str:
        error = "" if self.error is None else f", error {self.error:.1e}"
        found = "".join(f", {name} = {text}" for name, text in unknown_texts(self.unknowns, self.residual).items())
        return (
            f"step {self.step} ({self.phase}): residual {self.residual:.1e}{error}{found}, {self.total_seconds:.1f} s"
        )


def fitted_residuals(report: Report) -> dict[str, float]:
    """The residual of each term on fitted points, relative to the same sizes as `residuals` on fresh ones."""
    # Both are the root of a loss over the same size; a term whose residual is exactly zero has no quotient.
    pairs = {name: (report.losses[name], report.fresh_losses[name]) for name in report.residuals}
    return {
        name: report.residuals[name] * math.sqrt(fitted / fresh) if fresh > 0 else math.sqrt(fitted)
        for name, (fitted, fresh) in pairs.items()
    }


MOST_NUMBERS = 4
"""Numbers of an unknown array that are shown; of a longer one the first, and how many there are."""
LEAST_DIGITS, MOST_DIGITS = 4, 12
"""Of an unknown number that is shown."""


def unknown_texts(unknowns: Mapping[str, Any], residual: float) -> dict[str, str]:
    """Unknowns by name, with as many digits as a state with this residual has, and one more."""
    exact = 1.0 - math.log10(min(max(residual, 1e-16), 1.0)) if math.isfinite(residual) else 0.0
    digits = min(max(math.ceil(exact), LEAST_DIGITS), MOST_DIGITS)
    return {name: _number_text(value, digits) for name, value in unknowns.items()}


def _number_text(value: Any, digits: int) -> str:
    """A number, or an array of them, with so many digits."""
    numbers = np.ravel(value).tolist()
    shown = ", ".join(f"{number:.{digits}g}" for number in numbers[:MOST_NUMBERS])
    more = f", … ({len(numbers)} numbers)" if len(numbers) > MOST_NUMBERS else ""
    return f"[{shown}{more}]" if np.ndim(value) else shown


def steps_taken(last: int, kept: int) -> str:
    """How many steps there were, and after which of them the state was that is kept."""
    return f"{last:,} steps" + (f" (the state of step {kept:,} is kept)" if kept != last else "")


def time_taken(seconds: float, total: float) -> str:
    """Both times of a training in words, without and with compilation; the first alone where the other is not known."""
    return f"{seconds:.1f} s" + (f", {total:.1f} s with compilation" if total else "")


def best_report(history: Sequence[Report]) -> Report:
    """The report with the smallest residual on fresh points, of equal ones the last."""
    return min(reversed(history), key=lambda report: report.residual)

"""What is known after each interval of training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Report:
    """The state of training after an interval.

    Attributes:
        step: How many steps have been taken in all.
        phase: The optimiser that took the last of them: "adam", "gauss-newton" or "lbfgs".
        loss: Σ w_k losses_k, with the weights w_k of this interval.
        losses: The mean square residual of each term, by the name of the term.
        error: |u − reference| / |reference| over points of the domain; None without a reference.
        unknowns: The problem's unknown numbers as they are now, by name.
        seconds: Of training so far, without compilation.
        seconds_per_step: In this interval.
        points_per_second: In this interval, over the points of all terms.

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
    error: float | None
    unknowns: dict[str, Any]
    seconds: float
    seconds_per_step: float
    points_per_second: float

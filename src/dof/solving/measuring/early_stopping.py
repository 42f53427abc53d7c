"""Early stopping by the residual on fresh points: the best state, patience, tolerance, and the length of intervals."""

from __future__ import annotations

from typing import Any, NamedTuple

from dof.solving.measuring.training_report import Report
from dof.solving.settings import Settings

PARTED = 3.0
"""The residual on fresh points over that on fitted ones from which on both have parted. With the default number of
points the quotient stays below 1.05 on `poisson` and `heat` of the zoo, where 1,482 points are for 1,185 parameters."""
SHORTER = 4
"""How many times shorter an interval is when they have parted: new points come sooner. In 20 dimensions with 0.67
equations for each parameter, new points after 5 steps instead of 20 bring the error from 7.5 % to 4.0 %
(Hamilton–Jacobi–Bellman) and from 5.8e-4 to 2.1e-4 (Poisson) after the same steps; after 1 or 2 steps little more."""


class Progress(NamedTuple):
    """What is known of training by its reports.

    Attributes:
        best: θ with the smallest residual on fresh points so far, of equal ones the last; at first the start.
        residual: Its residual.
        step: After how many steps it was reported.
        waiting: How many reports of the last optimiser there were since.
        has_parted: Whether the residual on fresh points was much larger than on fitted ones in some report. This stays:
            with more points the two come together again, and would part again with fewer.
        parted_again: Whether it was so in a later report too, when there were more points already. This stays too, for
            the same reason: intervals are short from then on.
    """

    best: Any
    residual: float = float("inf")
    step: int = 0
    waiting: int = 0
    has_parted: bool = False
    parted_again: bool = False

    def after(self, report: Report, theta: Any, is_last: bool) -> Progress:
        """The progress after a report.

        Args:
            report: Of the interval.
            theta: That it is about.
            is_last: Whether it was an interval of the last optimiser.
        """
        now = has_parted(report)
        parted = self.has_parted or now, self.parted_again or (self.has_parted and now)
        waiting = 0 if report.residual < self.residual else self.waiting + is_last
        if report.residual <= self.residual:
            return Progress(theta, report.residual, report.step, waiting, *parted)
        return self._replace(waiting=waiting, has_parted=parted[0], parted_again=parted[1])


def has_parted(report: Report) -> bool:
    """Whether the residual on fresh points is much larger than on fitted ones."""
    return report.residual > PARTED * report.fitted


def interval_length(settings: Settings, progress: Progress) -> int:
    """How many steps are taken with the same points."""
    # More points come first, and may be enough. Without new ones there is nothing that a shorter interval would change.
    is_shorter = settings.resample and (progress.parted_again if settings.may_add_points else progress.has_parted)
    return max(1, settings.report // SHORTER) if is_shorter else settings.report


def is_enough(settings: Settings, progress: Progress) -> bool:
    """Whether the residual is within the tolerance, or has not become smaller for as long as patience allows."""
    return progress.residual <= settings.tolerance or 0 < settings.patience <= progress.waiting

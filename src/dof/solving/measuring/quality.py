"""How good a solution is, in words, from the residual on fresh points and the error against a reference."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from dof.solving.measuring.early_stopping import has_parted
from dof.solving.measuring.training_report import Report

GRADES = (
    (1e-5, "Very good"),
    (1e-3, "Good"),
    (3e-2, "Rough"),
    (3e-1, "Poor"),
    (float("inf"), "Not a solution"),
)
"""Words for a relative error or residual up to a bound. The bounds are chosen, not measured: five digits are beyond
what a plot shows, three are engineering accuracy, 3 % is seen in a plot, and from 30 % on the shape is wrong."""


class Quality(NamedTuple):
    """A grade and what it rests on.

    Attributes:
        grade: The word.
        rank: Its place in `GRADES`; 0 is the best.
        text: The sentence.
    """

    grade: str
    rank: int
    text: str


def quality(report: Report, given: Collection[str] = ()) -> Quality:
    """How good the state of a report is; a known error decides, and else the residual.

    Args:
        report: Of the state.
        given: The names of terms whose points are given, as those of data: there are no fresh ones, and what is left of
            them may be noise.
    """
    rank = _rank(report.residual if report.error is None else report.error)
    others = {name: share for name, share in report.residuals.items() if name not in given}
    said = [_of_given(name, report.residuals[name]) for name in [worst_term(report)] if name in given]
    name, worst = max(others.items(), key=lambda item: item[1])
    said.append(f"`{name}` is fulfilled to {as_share(worst)} of the size of its terms on fresh points")
    if report.error is not None:
        said.append(f"the error is {as_share(report.error)}")
    if has_parted(report):
        said.append(f"at the fitted points the residual is {as_share(report.fitted)}: fitted there, wrong between them")
    return Quality(GRADES[rank][1], rank, f"{GRADES[rank][1]}: {'; '.join(said)}.")


def worst_term(report: Report) -> str:
    """The name of the term with the largest relative residual."""
    return max(report.residuals, key=lambda name: report.residuals[name])


def _of_given(name: str, share: float) -> str:
    return f"`{name}` is fulfilled to {as_share(share)} of its size at its points, which may be its noise"


def _rank(value: float) -> int:
    # Of nan every comparison is false: the last grade.
    return next((k for k, (bound, _) in enumerate(GRADES) if value <= bound), len(GRADES) - 1)


def as_share(value: float) -> str:
    """A share in percent, or as a power of ten where it is small."""
    if value < 1e-3:
        return f"{value:.1e}"
    # From 10 % on as a whole number: two digits of 1 would be 1e+02 %.
    return f"{100 * value:.0f} %" if 0.1 <= value < 100 else f"{100 * value:.2g} %"

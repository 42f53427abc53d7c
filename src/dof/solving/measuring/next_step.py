"""What to change for a better solution, from how training went."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isfinite
from typing import NamedTuple

from dof.solving.measuring.early_stopping import PARTED, has_parted
from dof.solving.measuring.quality import as_share, quality, worst_term
from dof.solving.measuring.training_report import Report, best_report, fitted_residuals
from dof.solving.settings import Settings

GOOD = 1
"""The last grade of `quality` with which nothing has to be changed."""
LITTLE = 1.1
"""A residual that is larger than the smallest one by less than this factor is as good as it."""
IDLE_SHARE = 0.25
"""Share of all steps, at the end, that must bring less than that before more of them are taken to be of no use."""
MORE_POINTS, MORE_EDGE_POINTS = 4, 5
"""How many times as many points are proposed: inside of the domain training has doubled them by itself already."""
ANOTHER = 1e-3
"""Residual up to which a function of quite another shape than the reference is another solution."""


class Course(NamedTuple):
    """How a training went, on which a proposal rests.

    Attributes:
        history: The reports, at least one.
        settings: Of the training.
        given: The names of terms whose points are given, as those of data.
    """

    history: Sequence[Report]
    settings: Settings
    given: Collection[str]


def next_step(history: Sequence[Report], settings: Settings, given: Collection[str] = ()) -> str:
    """What limits a solution that is rough or worse, and a line that changes it; "" for a good one.

    Args:
        history: The reports of its training.
        settings: Of the training.
        given: The names of terms whose points are given, as those of data.
    """
    best = best_report(history)
    if quality(best).rank <= GOOD:
        return ""
    course = Course(history, settings, given)
    causes = (_no_number, _another_solution, _noise, _points, _early_end, _no_newton, _idle)
    said, fix = next(filter(None, (cause(course, best) for cause in causes)), None) or _falling(course)
    return f"{said}.\n  Fix: {fix}"


def idle_since(history: Sequence[Report]) -> int | None:
    """The step from which on the residual hardly became smaller, if that were many steps."""
    least, last = best_report(history).residual, history[-1].step
    began = next(report.step for report in history if report.residual <= LITTLE * least)
    return began if last - began >= IDLE_SHARE * last else None


def _no_number(course: Course, best: Report) -> tuple[str, str] | None:
    if isfinite(best.residual):
        return None
    said = f"The residual is {best.residual} on fresh points, which training did not see: the equation or a condition"
    return f"{said} is no number somewhere in the domain", "a domain in which its functions are defined everywhere"


def _another_solution(course: Course, best: Report) -> tuple[str, str] | None:
    if best.error is None or best.error < 0.3 or best.residual > ANOTHER:
        return None
    said = f"The residual is {as_share(best.residual)} and the error {as_share(best.error)}: another solution"
    seed = course.settings.seed + 1
    return f"{said} than the reference", f"seed={seed}; where it finds yet another one, a condition is missing"


def _noise(course: Course, best: Report) -> tuple[str, str] | None:
    name, width = worst_term(best), 2 * course.settings.width
    if name not in course.given:
        return None
    said = f"What is left at the points of `{name}` is {as_share(best.residuals[name])}: with noise of that size it is"
    return f"{said} as good as it can be", f"width={width}, if their noise is less"


def _points(course: Course, best: Report) -> tuple[str, str] | None:
    # Of the term itself too: noise in data makes all of them together larger.
    name, settings = worst_term(best), course.settings
    if not (has_parted(best) or best.residuals[name] > PARTED * fitted_residuals(best)[name]):
        return None
    # The first term is the equation; others have points of their own on the boundary.
    is_equation = name == next(iter(best.residuals))
    inside = f"points={MORE_POINTS * (settings.points or 0)}"
    fix = inside if is_equation else f"edge_points={MORE_EDGE_POINTS * settings.edge_points}"
    return f"`{name}` is fitted at its points and wrong between them: it has too few", fix


def _early_end(course: Course, best: Report) -> tuple[str, str] | None:
    settings, last = course.settings, course.history[-1].step
    if last >= settings.steps:
        return None
    if best.residual <= settings.tolerance:
        return (
            f"Training ended at the residual {best.residual:.1e}, as asked",
            f"tolerance={settings.tolerance / 10:.0e}",
        )
    # Patience ends where nothing is gained; a callback and an interrupt end anywhere.
    return _idle(course, best) or (f"Training ended after {last} of {settings.steps} steps", "all of its steps")


def _no_newton(course: Course, best: Report) -> tuple[str, str] | None:
    if course.settings.newton:
        return None
    return "All steps were Adam's, which comes near a solution, and seldom closer", f"newton={Settings().newton}"


def _idle(course: Course, best: Report) -> tuple[str, str] | None:
    since, settings = idle_since(course.history), course.settings
    if since is None:
        return None
    said = f"From step {since} of {course.history[-1].step} on the residual hardly became smaller"
    return f"{said}: more steps bring little", f"width={2 * settings.width}, or a network of yours with more units"


def _falling(course: Course) -> tuple[str, str]:
    return "The residual was still becoming smaller", f"newton={2 * course.settings.newton}"

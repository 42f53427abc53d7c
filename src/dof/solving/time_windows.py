"""Long times, window by window: each starts from what the window before ended with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.extend import enable_x64
from dof.pde.conditions.conditions import Condition
from dof.pde.conditions.measured_data import MeasuredData
from dof.pde.problem import Problem
from dof.solving.loss.collocation_points import points_for_error
from dof.solving.measuring.quality import quality
from dof.solving.measuring.training_report import Report, time_taken
from dof.solving.solutions.function_of_points import FunctionOfPoints
from dof.solving.solutions.solution import Solution


@dataclass(frozen=True, eq=False)  # compared and hashed as an object, as `Solution`
class WindowedSolution(FunctionOfPoints):
    """What `dof.solve(problem, windows=n)` returns: one solution for each window of time, called as one.

    Attributes:
        whole: The problem over all of time.
        windows: The solutions, in the order of time.

    Examples:
        >>> import dof
        >>> from dof import pde
        >>> decay, start = pde.residual("t")(lambda u, t: u.t + u), pde.initial(1.0, hard=True)
        >>> solution = dof.solve(pde.Problem(decay, pde.Time(0, 6), [start]), windows=2, adam=0, newton=5, width=8)
        >>> print(len(solution.windows), f"{solution([3.0]):.3f}")  # e⁻³ = 0.0498
        2 0.050
    """

    whole: Problem
    windows: tuple[Solution, ...]

    @property
    def problem(self) -> Problem:
        """The problem over all of time."""
        return self.whole

    @property
    def weights(self) -> Any:
        """The vectors of all that was trained, one for each window."""
        return tuple(window.theta for window in self.windows)

    def functions(self, weights: Any) -> tuple[Callable[[Any], Any], dict[str, Any]]:
        """The unknown functions of one point, each in its window; there are no unknowns."""
        time = self.whole.named_domain.time
        parts = [window.functions(own)[0] for window, own in zip(self.windows, weights, strict=True)]
        starts = [float(window.problem.domain.bounds[0][time]) for window in self.windows]

        def u(z: Any) -> Any:
            value = parts[0](z)
            for start, part in zip(starts[1:], parts[1:], strict=True):
                value = jnp.where(z[time] >= start, part(z), value)
            return value

        return u, {}

    @property
    def history(self) -> tuple[Report, ...]:
        """The reports of all windows."""
        return tuple(report for window in self.windows for report in window.history)

    @property
    def relative_residual(self) -> float:
        """The residual on fresh points of the window where it is largest, relative as that of a `Solution`."""
        return max(window.relative_residual for window in self.windows)

    @property
    def quality(self) -> str:
        """How good the solution is, in words: its error, and the residual of the window where it is largest."""
        return quality(replace(self.worst.report, error=self.error), self.worst.training.objective.given).text

    @property
    def next_step(self) -> str:
        """What to change for a better solution, by the window with the largest residual; "" where it is good."""
        return self.worst.next_step

    @property
    def worst(self) -> Solution:
        """The solution in the window with the largest residual."""
        return max(self.windows, key=lambda window: window.relative_residual)

    @property
    def seconds(self) -> float:
        """How long the steps took, without compilation."""
        return sum(window.seconds for window in self.windows)

    @property
    def total_seconds(self) -> float:
        """How long all took, with compilation, points and measuring; without advice before the first step."""
        return sum(window.total_seconds for window in self.windows)

    @cached_property
    def error(self) -> float | None:
        """|u − reference| / |reference| over points of the domain; None without a reference."""
        if self.whole.reference is None:
            return None
        settings = self.windows[0].training.settings
        points = points_for_error(self.whole.domain, settings.error_points, settings.seed)
        with enable_x64():
            exact = np.asarray(jax.jit(jax.vmap(self.whole.exact))(points))
        return float(np.linalg.norm(np.asarray(self.real_values(points)) - exact) / np.linalg.norm(exact))

    def __repr__(self) -> str:
        error = "" if self.error is None else f", error {self.error:.2g}"
        how = f"{len(self.windows)} windows: residual {self.relative_residual:.2g}{error}"
        return f"<solution of {self.whole.name} in {how}, {time_taken(self.seconds, self.total_seconds)}>"


def window_ends(problem: Problem, windows: int) -> np.ndarray:
    """The ends of windows of equal length; refuses problems that cannot be divided in time."""
    starts = [c for c in problem.conditions if isinstance(c, Condition) and c.kind == "initial"]
    if problem.unknowns or not starts:
        found = "are asked for of a problem with unknowns" if problem.unknowns else "need an initial condition"
        expected = "a problem with an initial condition and without unknowns"
        raise ArgumentError(describe("windows", found, expected, "pde.initial(u0, hard=True), windows=4"))
    return np.linspace(*problem.named_domain.ends(problem.named_domain.time), windows + 1)


def problem_in_window(problem: Problem, start: float, end: float, before: Solution | None) -> Problem:
    """The problem from `start` to `end`, which begins with what the solution `before` ends with."""
    domain, time = problem.domain.in_window(start, end), problem.named_domain.time
    conditions: list[Any] = []
    for condition in problem.conditions:
        if isinstance(condition, MeasuredData):
            conditions += _data_between(condition, time, start, end)
        elif before is not None and isinstance(condition, Condition) and condition.kind in _CONTINUED:
            conditions.append(replace(condition, value=_CONTINUED[condition.kind](before, condition.field)))
        else:
            conditions.append(condition)
    return replace(problem, domain=domain, conditions=conditions)


def _field_of(function: Callable[..., Any], before: Solution, field: str | None) -> Callable[..., Any]:
    named = before.problem.named_domain
    return lambda *coordinates: named.part_of_values(field, function(*coordinates))


_CONTINUED: dict[str, Callable[[Solution, str | None], Any]] = {
    "initial": lambda before, field: _field_of(before, before, field),
    "initial velocity": lambda before, field: _field_of(before.d("t"), before, field),
}
"""The values of initial conditions from the solution in the window before, by the kind of the condition."""


def _data_between(data: MeasuredData, time: int, start: float, end: float) -> Sequence[MeasuredData]:
    """The measurements in a window; none if it has none."""
    points, values = np.asarray(data.z, float), np.asarray(data.values)
    here = (points[:, time] >= start) & (points[:, time] <= end)
    return [replace(data, z=points[here], values=values[here])] if here.any() else []

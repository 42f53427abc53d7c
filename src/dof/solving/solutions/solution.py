"""What `dof.solve` returns: the unknown functions, as a function of points, and how they were found."""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from dof.pde.problem import Problem
from dof.solving.loss.objective import Objective
from dof.solving.measuring.next_step import next_step
from dof.solving.measuring.quality import quality
from dof.solving.measuring.training_report import Report, best_report, steps_taken, time_taken, unknown_texts
from dof.solving.solutions.function_of_points import FunctionOfPoints
from dof.solving.training import Training


@dataclass(frozen=True, eq=False)  # compared and hashed as an object: JAX keeps functions by their hash
class Solution(FunctionOfPoints):
    """What `dof.solve` returns: call it at a point (coordinates,), at points (n, coordinates), or as u(x, t).

    Points are evaluated in float64. In `jax.grad`, `jax.jit` and `jax.vmap` the precision is that of the points.

    Attributes:
        training: The problem, the network and the settings.
        theta: The vector of all that was trained, where the residual on fresh points was smallest.
        history: The reports of all intervals of training.

    Examples:
        >>> import dof, jax, jax.numpy as jnp
        >>> from dof import pde
        >>> poisson, ends = pde.residual("x")(lambda u, x: u.xx + jnp.sin(x)), [pde.dirichlet(0.0, hard=True)]
        >>> problem = pde.Problem(poisson, pde.Interval(0, jnp.pi), ends, reference=jnp.sin)
        >>> solution = dof.solve(problem, adam=0, newton=5, width=8, depth=1)
        >>> print(f"{solution([jnp.pi / 2]):.2f}", solution.error < 1e-2, len(solution.history))
        1.00 True 1
        >>> slope = jax.grad(lambda x: solution(x))(jnp.pi)
        >>> print(f"{slope:.1f} {solution.d('x')([jnp.pi]):.1f} {abs(solution.residual([1.0])) < 0.1}")
        -1.0 -1.0 True
    """

    training: Training
    theta: Any
    history: tuple[Report, ...]

    @property
    def problem(self) -> Problem:
        """What was solved."""
        return self.training.problem

    @property
    def weights(self) -> Any:
        """The vector of all that was trained."""
        return self.theta

    def functions(self, weights: Any) -> tuple[Any, dict[str, Any]]:
        """The unknown functions of one point, and the problem's unknowns by name, with these weights."""
        objective = self.training.objective if weights.dtype == np.float64 else self._in_other_precisions
        return objective.u(weights), objective.unknowns(weights)

    @cached_property
    def _in_other_precisions(self) -> Objective:
        """The objective with arrays of its own: JAX takes a NumPy array for float64 once it has been traced as that."""
        twin = copy(self.training.objective)
        twin.problem = replace(twin.problem, domain=deepcopy(twin.problem.domain))
        return twin

    @property
    def params(self) -> Any:
        """The parameters of the network, as it has them."""
        return self.training.objective.unravel(self.theta)[0]

    @property
    def unknowns(self) -> dict[str, np.ndarray]:
        """What was found of the problem's unknowns, by name."""
        return {name: np.asarray(value) for name, value in self.training.objective.unknowns(self.theta).items()}

    @property
    def report(self) -> Report:
        """The report of `theta`: the one with the smallest residual on fresh points."""
        return best_report(self.history)

    @property
    def relative_residual(self) -> float:
        """The residual on fresh points, relative to the size of what the equation and the conditions are made of."""
        return self.report.residual

    @property
    def quality(self) -> str:
        """How good the solution is, in words."""
        return quality(self.report, self.training.objective.given).text

    @property
    def next_step(self) -> str:
        """What to change for a better solution, in a sentence with a line that does it; "" where it is good."""
        return next_step(self.history, self.training.settings, self.training.objective.given)

    @property
    def error(self) -> float | None:
        """|u − reference| / |reference| over points of the domain; None without a reference."""
        return self.report.error

    @property
    def seconds(self) -> float:
        """How long the steps took, without compilation."""
        return self.history[-1].seconds

    @property
    def total_seconds(self) -> float:
        """How long all took, with compilation, points and measuring; without advice before the first step."""
        return self.history[-1].total_seconds

    def __repr__(self) -> str:
        error = "" if self.error is None else f", error {self.error:.2g}"
        name, steps = self.training.problem.name, steps_taken(self.history[-1].step, self.report.step)
        texts = unknown_texts(self.report.unknowns, self.report.residual)
        found = "".join(f", {name} = {text}" for name, text in texts.items())
        took = f"{steps} in {time_taken(self.seconds, self.total_seconds)}"
        return f"<solution of {name}: residual {self.relative_residual:.2g}{error}{found}, {took}>"

"""What `dof.solve` returns: the unknown functions, as a function of points, and how they were found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.extend import enable_x64
from dof.solving.quality import quality
from dof.solving.training import Training
from dof.solving.training_report import Report, best_report


@dataclass(frozen=True)
class Solution:
    """What `dof.solve` returns: call it at a point (coordinates,), or at points (n, coordinates).

    Attributes:
        training: The problem, the network and the settings.
        theta: The vector of all that was trained, where the residual on fresh points was smallest.
        history: The reports of all intervals of training.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> from dof import pde
        >>> poisson, ends = pde.residual("x")(lambda u, x: u.xx + jnp.sin(x)), [pde.dirichlet(0.0, hard=True)]
        >>> problem = pde.Problem(poisson, pde.Interval(0, jnp.pi), ends, reference=jnp.sin)
        >>> solution = dof.solve(problem, adam=0, newton=5, width=8, depth=1)
        >>> print(f"{solution([jnp.pi / 2]):.2f}", solution.error < 1e-2, len(solution.history))
        1.00 True 1
    """

    training: Training
    theta: Any
    history: tuple[Report, ...]

    def __call__(self, points: Any) -> Any:
        """The unknown functions at a point (coordinates,) or at points (n, coordinates), in float64."""
        with enable_x64():
            return self.training.u_at_points(self.theta, jnp.asarray(points, float))

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
        return quality(self.report).text

    @property
    def error(self) -> float | None:
        """|u − reference| / |reference| over points of the domain; None without a reference."""
        return self.report.error

    @property
    def seconds(self) -> float:
        """How long training took, without compilation."""
        return self.history[-1].seconds

    def plot(self) -> Any:
        """A figure of matplotlib: the solution on a slice of the domain, the reference if it is known, the residual."""
        try:
            from dof.solving.solution_plot import plot_solution
        except ModuleNotFoundError as error:
            raise ImportError(f'`plot` needs {error.name}.\n  Fix: pip install "dof[cli]"') from error
        with enable_x64():
            return plot_solution(self.training.problem, self, partial(self.training.residual_at_points, self.theta))

    def __repr__(self) -> str:
        last = self.history[-1]
        error = "" if self.error is None else f", error {self.error:.2g}"
        name, took = self.training.problem.name, f"{last.step} steps in {last.seconds:.1f} s"
        return f"<solution of {name}: residual {self.relative_residual:.2g}{error}, {took}>"

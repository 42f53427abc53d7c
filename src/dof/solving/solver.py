"""`dof.solve(problem)`: train a network until its residuals vanish; what comes back is a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentTypeError, Diverged, describe
from dof.pde.notation.residual import at_points
from dof.pde.problem import Problem
from dof.solving.networks import network_of
from dof.solving.settings import settings_of
from dof.solving.training import Report, State, Training
from dof.zoo import problem_named


@dataclass(frozen=True)
class Solution:
    """What `dof.solve` returns: call it at a point, or at points (n, coordinates).

    history: the reports.

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
        with jax.enable_x64(True):
            u, coordinates = self.training.objective.u(self.theta), self.training.problem.equation.coordinates
            return jax.jit(at_points(u, coordinates, "solution"))(jnp.asarray(points, float))

    @property
    def params(self) -> Any:
        """Of the network, as it has them."""
        return self.training.objective.unravel(self.theta)[0]

    @property
    def unknowns(self) -> dict[str, np.ndarray]:
        """What was found of the problem's unknowns, by name."""
        return {name: np.asarray(value) for name, value in self.training.objective.unknowns(self.theta).items()}

    @property
    def error(self) -> float | None:
        """|u − reference| / |reference| over points of the domain; None without a reference."""
        return self.history[-1].error

    @property
    def seconds(self) -> float:
        """Of training, without compilation."""
        return self.history[-1].seconds

    def plot(self) -> Any:
        """A figure of matplotlib: the solution on a slice of the domain, beside the reference if it is known."""
        try:
            from dof.solving.plots import plot_solution
        except ModuleNotFoundError as error:
            raise ImportError(f'`plot` needs {error.name}.\n  Fix: pip install "dof[cli]"') from error
        return plot_solution(self.training.problem, self)

    def __repr__(self) -> str:
        last = self.history[-1]
        error = "" if last.error is None else f", error {last.error:.2g}"
        name, took = self.training.problem.name, f"{last.step} steps in {last.seconds:.1f} s"
        return f"<solution of {name}: loss {last.loss:.2g}{error}, {took}>"


def solve(
    problem: Problem | str,
    network: Any = None,
    *,
    on_report: Callable[[Report], Any] | None = None,
    **settings: Any,
) -> Solution:
    """Train a network so that it solves `problem`, in float64.

    problem: a `pde.Problem`, or a name of the zoo (`dof problems`).
    network: "mlp", "fourier", "separable"; a callable pytree, as modules of Equinox and Flax NNX are; or a pair
        (params, apply) with apply(params, features). By default what the problem's recipe says.
    on_report: called after each interval of training.
    settings: see `dof.solving.Settings`; they go before the recipe of the problem.

    >>> import dof
    >>> solution = dof.solve("heat", adam=50, newton=40)
    >>> assert solution.error < 1e-3
    >>> print(solution([0.5, 0.0]).shape)
    ()
    """
    with jax.enable_x64(True):
        return _trained(training_of(problem, network, settings), on_report or (lambda report: None))


def _trained(training: Training, on_report: Callable[[Report], Any]) -> Solution:
    theta, history = training.objective.start, []
    try:
        for state, report in intervals(training, training.start()):
            theta = state.theta
            history.append(report)
            on_report(report)
    except Diverged as error:
        if history:
            error.solution = Solution(training, theta, tuple(history))
            error.add_note(f"What had been found at step {history[-1].step} is `solution` of this error.")
        raise
    return Solution(training, theta, tuple(history))


def training_of(problem: Problem | str, network: Any, settings: dict[str, Any]) -> Training:
    if isinstance(problem, str):
        problem = problem_named(problem)
    if not isinstance(problem, Problem):
        fix = 'dof.solve("heat"), or pde.Problem(residual, domain, conditions)'
        raise ArgumentTypeError(describe("problem", f"is {problem!r}", "a pde.Problem or a name of the zoo", fix))
    chosen = settings_of(problem, settings)
    outputs = problem.equation.fields.count
    network = chosen.network if network is None else network
    made = network_of(network, problem.feature_count, outputs, chosen.width, chosen.depth)
    return Training(problem, made, chosen)


def intervals(training: Training, state: State, seconds: float = 0.0) -> Iterator[tuple[State, Report]]:
    """All that are left from a state on."""
    while state.step < training.settings.steps:
        state, report = training.advance(state, seconds)
        seconds = report.seconds
        yield state, report

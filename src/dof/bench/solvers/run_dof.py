"""`dof.solve` on one problem, with all of its defaults."""

from __future__ import annotations

import jax
import numpy as np

from dof.bench.solvers import dof_problems
from dof.bench.solvers.stopwatch import Watch
from dof.extend import enable_x64
from dof.solving.solutions.solution import Solution
from dof.solving.solver import intervals, training_of


def run(name: str, points: np.ndarray, field: int, watch: Watch) -> None:
    """Train on the problem of this name, as `dof.solve(problem)` does, and look at the error after each interval."""
    with enable_x64():
        training = training_of(getattr(dof_problems, name)(), None, {})
        for state, report in intervals(training, training.start()):
            # What `dof.solve` would return if training ended here.
            solution = Solution(training, state.progress.best, (report,))
            watch.look(lambda: np.asarray(jax.device_get(solution(points))).reshape(len(points), -1)[:, field])  # noqa: B023
            if watch.is_over:
                break

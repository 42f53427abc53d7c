"""All problems, one after the other, by both solvers in turn."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from dof.bench.solvers.races import RACES
from dof.bench.solvers.solver_process import SOLVERS, Timing, run_solver
from dof.bench.solvers.solver_results import load_or_begin, save
from dof.bench.timing.suites import OnProgress
from dof.errors import DofError


def run_races(names: Sequence[str], timing: Timing, out: Path, on_progress: OnProgress) -> None:
    """Run both solvers on each problem, and add what they reached to the file in the folder `out`.

    Raises:
        DofError: If DeepXDE or PyTorch is not installed.
    """
    for package in ("deepxde", "torch"):
        if find_spec(package) is None:
            raise DofError(f'`dof bench solvers` needs {package}.\n  Fix: pip install "dof[solvers]"')
    for name in names:
        race, run = RACES[name], load_or_begin(out, timing)
        points, values = race.points_and_values()
        run.problems[name] = {}
        for solver in SOLVERS:
            on_progress(race.title, solver)
            run.problems[name][solver] = run_solver(solver, race, points, values, timing)
            save(run, out)

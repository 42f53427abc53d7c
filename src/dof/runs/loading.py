"""`dof.load`: a solution from a file, or from the folder of a run."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from shlex import quote
from typing import Any

from safetensors.numpy import load_file as arrays_in

from dof.errors import ArgumentError, describe
from dof.extend import enable_x64
from dof.pde.problem import Problem
from dof.runs import checkpoints
from dof.runs.problem_source import load_problem
from dof.runs.run_config import begun_by, read_config
from dof.runs.run_folder import RunFolder
from dof.solving import Report, Solution, WindowedSolution
from dof.solving.solution_from_file import load_file, theta_of
from dof.solving.solver import training_in_window, training_of
from dof.solving.training import Training


def load(path: Any, problem: Problem | str | None = None, network: Any = None) -> Solution | WindowedSolution:
    """The solution that `solution.save` wrote to a file, or that `dof solve` left in a folder.

    Args:
        path: A file, or the folder of a run; of a run that is not at its end the newest checkpoint.
        problem: What was solved, its name in the zoo, or a file.py that has it: a file of weights has no code. The
            folder of a run names it.
        network: As given to `dof.solve`, if it was given there.

    Raises:
        ArgumentError: If there is no solution, or it is one of another problem or network.

    Examples:
        >>> import dof, tempfile
        >>> solution = dof.solve("heat", adam=2, newton=0, width=4)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     solution.save(f"{folder}/heat.safetensors")
        ...     again = dof.load(f"{folder}/heat.safetensors", "heat")
        >>> print(again([0.5, 0.1]) == solution([0.5, 0.1]))
        True
    """
    path = Path(path)
    if path.is_dir() and problem is not None:
        found = "is given with the folder of a run, which names the problem itself"
        raise ArgumentError(describe("problem", found, "none", f"dof.load({str(path)!r})"))
    if path.is_dir():
        return _from_run(path)
    if not path.exists():
        found, fix = f"is {str(path)!r}, where nothing is", 'dof.load("dof-runs/heat")'
        raise ArgumentError(describe("path", found, "a file of `solution.save`, or the folder of a run", fix))
    if problem is None:
        found, fix = f"is a file, {str(path)!r}, and no problem is given", "dof.load(path, problem)"
        raise ArgumentError(describe("path", found, "the problem that was solved too", fix))
    return load_file(path, load_problem(problem) if isinstance(problem, str) else problem, network)


def _from_run(path: Path) -> Solution | WindowedSolution:
    folder, config = RunFolder(path), read_config(path)
    if config.change:
        warnings.warn(config.change, UserWarning, stacklevel=3)
    with enable_x64():
        training = training_of(config.problem(), None, config.settings)
        if training.settings.windows == 1:
            return _solution_in(folder, training, path)
        whole, found = training.problem, ()
        for number in range(1, training.settings.windows + 1):
            part = training_in_window(whole, found, None, config.settings)
            found = (*found, _solution_in(folder.of_window(number), part, path))
        return WindowedSolution(whole, found)


def _solution_in(folder: RunFolder, training: Training, run: Path) -> Solution:
    """The solution that a training left in its folder, which is that of the run or of a window in it."""
    weights = folder.path / "weights.safetensors"
    if weights.is_file():
        theta = theta_of(training, arrays_in(weights), weights)
    else:
        state = checkpoints.latest(folder.checkpoints, training.like, begun_by(folder.run))
        if state is None:
            found = f"is {str(folder.path)!r}, where nothing has been trained yet"
            fix = f"dof solve --resume {quote(str(run))}"
            raise ArgumentError(describe("path", found, "a run with a checkpoint", fix))
        theta = state.progress.best
    return Solution(training, theta, tuple(_reports(folder.metrics)))


def _reports(metrics: Path) -> list[Report]:
    """The reports of a run; unlike `RunFolder.reports` this leaves the file, which a run may be writing, as it is."""
    found = []
    for line in metrics.read_text(encoding="utf-8").splitlines() if metrics.is_file() else []:
        try:
            found.append(Report(**json.loads(line)))
        except (json.JSONDecodeError, TypeError):  # a line that is being written
            break
    return found

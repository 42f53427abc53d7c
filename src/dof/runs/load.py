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
from dof.runs.run_config import CONFIG, begun_by, read_config
from dof.runs.run_folder import RunFolder
from dof.solving import Report, Solution, WindowedSolution
from dof.solving.solution_from_file import is_saved, load_file, require_values, theta_of
from dof.solving.solutions.save_solution import equation_name, values_at_probes
from dof.solving.solver import training_in_window, training_of
from dof.solving.training import Training


def load(path: Any, problem: Problem | str | None = None, network: Any = None) -> Solution | WindowedSolution:
    """The solution that `solution.save` wrote to a file, or that `dof solve` left in a folder.

    Args:
        path: A file, or the folder of a run; of a run that is not at its end the newest checkpoint.
        problem: What was solved, its name in the zoo, or a file.py that has it: a file of weights has no code. The
            folder of a run names it; one that is given with a folder is compared with it.
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
    path, given = Path(path), load_problem(problem) if isinstance(problem, str) else problem
    if path.is_dir():
        own = _from_run(path)
        return own if given is None else _with_problem(own, given, network, path)
    if not path.exists():
        found, fix = f"is {str(path)!r}, where nothing is", 'dof.load("dof-runs/heat")'
        raise ArgumentError(describe("path", found, "a file of `solution.save`, or the folder of a run", fix))
    _require_no_part_of_a_run(path)
    if given is None:
        found, fix = f"is a file, {str(path)!r}, and no problem is given", "dof.load(path, problem)"
        raise ArgumentError(describe("path", found, "the problem that was solved too", fix))
    return load_file(path, given, network)


def _require_no_part_of_a_run(path: Path) -> None:
    """Refuse a file in the folder of a run, as its weights, which are of no use without the rest."""
    folder = next((parent for parent in path.absolute().parents[:2] if (parent / CONFIG).is_file()), None)
    if folder is not None and not is_saved(path):
        found, fix = f"is {str(path)!r}, a file of the run in {str(folder)!r}", f"dof.load({str(folder)!r})"
        raise ArgumentError(describe("path", found, "the folder of the run", fix))


def _from_run(path: Path) -> Solution | WindowedSolution:
    config = read_config(path)
    if config.change:
        warnings.warn(config.change, UserWarning, stacklevel=3)
    return _solved(config.problem(), None, config.settings, path)


def _with_problem(own: Any, problem: Problem, network: Any, path: Path) -> Solution | WindowedSolution:
    """The solution of a run with the problem that the user gives; refuses one that makes another u of its weights."""
    name = equation_name(own.problem)
    if isinstance(problem, Problem) and equation_name(problem) != name:
        found, fix = f"is {equation_name(problem)}", f"dof.load({str(path)!r}), which has the problem of the run"
        raise ArgumentError(describe("problem", found, f"{name}, as the run has it, or none", fix))
    found = _solved(problem, network, read_config(path).settings, path)
    require_values(found, values_at_probes(own))
    return found


def _solved(problem: Problem, network: Any, settings: dict[str, Any], path: Path) -> Solution | WindowedSolution:
    """The solution of a problem with the weights in the folder of a run."""
    folder = RunFolder(path)
    with enable_x64():
        training = training_of(problem, network, settings)
        if training.settings.windows == 1:
            return _solution_in(folder, training, path)
        whole, found = training.problem, ()
        for number in range(1, training.settings.windows + 1):
            part = training_in_window(whole, found, network, settings)
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

"""Solutions from the files that `solution.save` wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from safetensors import SafetensorError, safe_open

from dof.errors import ArgumentError, describe
from dof.extend import enable_x64
from dof.pde.problem import Problem
from dof.solving.measuring.training_report import Report
from dof.solving.solutions.save_solution import (
    FORMAT,
    equation_name,
    named_arrays,
    path_name,
    residuals_at_probes,
    values_at_probes,
)
from dof.solving.solutions.solution import Solution
from dof.solving.solver import training_in_window, training_of
from dof.solving.time_windows import WindowedSolution
from dof.solving.training import Training

ROUNDING, ZERO = 1e-3, 1e-9
"""How far residuals may be from those of the file, relative and absolute. They are differences of larger numbers, of
which the last digits differ on another machine; another equation has quite other ones."""
_FIX = 'solution.save("heat.safetensors"); dof.load("heat.safetensors", problem)'


def load_file(path: Path, problem: Problem | str, network: Any = None) -> Solution | WindowedSolution:
    """The solution in a file.

    Args:
        path: Of the file.
        problem: What was solved; equations are code, which a file of weights does not have.
        network: As given to `dof.solve`, if it was given there.
    """
    about, parts = _read(path)
    settings, reports = json.loads(about["settings"]), json.loads(about["reports"])

    def solved(training: Training, k: int) -> Solution:
        history = tuple(Report(**report) for report in reports[k])
        return Solution(training, theta_of(training, parts[k], path), history)

    with enable_x64():
        training = training_of(problem, network, settings[0])
        if about["equation"] != (name := equation_name(training.problem)):
            raise ArgumentError(describe("problem", f"is {name}", about["equation"], _FIX))
        found = solved(training, 0) if len(parts) == 1 else _in_windows(training.problem, network, settings, solved)
    require_values(found, json.loads(about["values"]))
    solved_parts: Any = getattr(found, "windows", (found,))
    for part, saved in zip(solved_parts, json.loads(about["residuals"]), strict=True):
        _require_residuals(residuals_at_probes(part.training, part.theta), saved)
    return found


def is_saved(path: Path) -> bool:
    """Whether a file is one of `solution.save`; of a damaged one it is not known, and said where it is read."""
    try:
        with safe_open(path, "numpy") as file:
            return (file.metadata() or {}).get("format") == FORMAT
    except (SafetensorError, OSError):
        return False


def _in_windows(problem: Problem, network: Any, settings: Any, solved: Callable[..., Solution]) -> WindowedSolution:
    windows = ()
    for k, own in enumerate(settings):
        windows = (*windows, solved(training_in_window(problem, windows, network, own), k))
    return WindowedSolution(problem, windows)


def _read(path: Path) -> tuple[dict[str, str], list[dict[str, np.ndarray]]]:
    """What a file says about a solution, and its arrays, for each window of time."""
    try:
        with safe_open(path, "numpy") as file:
            about, arrays = file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        found = f"is {str(path)!r}: {error}"
        raise ArgumentError(describe("path", found, "a file of `solution.save`", _FIX)) from None
    if about.get("format") != FORMAT:
        found = f"is {str(path)!r}, whose format is {about.get('format')!r}"
        raise ArgumentError(describe("path", found, f"{FORMAT!r}, as `solution.save` writes", _FIX))
    parts: list[dict[str, np.ndarray]] = [{} for _ in json.loads(about["settings"])]
    for name, array in arrays.items():
        k, _, own = name.partition(".")
        parts[int(k)][own] = array
    return about, parts


def theta_of(training: Training, arrays: dict[str, np.ndarray], path: Path) -> Any:
    """The vector θ from named arrays; refuses those of another network."""
    expected = named_arrays(training, training.objective.start)
    if {name: array.shape for name, array in arrays.items()} != {name: a.shape for name, a in expected.items()}:
        found = f"{str(path)!r} has weights of another network: {_shapes(arrays)}"
        raise ArgumentError(
            describe(
                "network",
                found,
                _shapes(expected),
                "dof.load(path, problem, network=net), with the one that was trained",
            )
        )
    params, unknowns = training.objective.unravel(training.objective.start)
    tree = {"network": params, "unknowns": unknowns}
    filled = jax.tree_util.tree_map_with_path(lambda path, _: jnp.asarray(arrays[path_name(path)], float), tree)
    return ravel_pytree((filled["network"], filled["unknowns"]))[0]


def _shapes(arrays: dict[str, np.ndarray]) -> str:
    return ", ".join(f"{name} {array.shape}" for name, array in sorted(arrays.items())[:6])


def require_values(solution: Any, saved: list[list[float]]) -> None:
    """Refuse a problem with other hard conditions, features or domain: u is not what was saved."""
    found, expected = np.array(values_at_probes(solution)), np.array(saved)
    # Compiled on another machine the last digits may differ.
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max()):
        said = "makes another u of these weights: hard conditions, features, ansatz or domain are not those of the file"
        raise ArgumentError(describe("problem", said, "the problem that was solved", "dof.load(path, problem)"))


def _require_residuals(found: dict[str, float], saved: dict[str, float]) -> None:
    """Refuse a problem with another equation or other conditions: reports and error would be of what was solved."""
    near = lambda name: np.isclose(found[name], saved[name], rtol=ROUNDING, atol=ZERO)  # noqa: E731
    # Of terms that both have: without data, or with a condition on each end in place of both, u is the same.
    differ = [name for name in saved if name in found and not near(name)]
    if differ:
        name = differ[0]
        said = f"has another residual in `{name}` with these weights: equation or conditions are not those of the file"
        fix = "dof.load(path, the_old_problem), then dof.solve(problem, start=solution) to go on from it"
        raise ArgumentError(describe("problem", said, "the problem that was solved", fix))

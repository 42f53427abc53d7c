"""`dof.solve(problem)`: train a network until its residuals vanish."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from dof.errors import ArgumentTypeError, Diverged, describe, shown
from dof.extend import enable_x64
from dof.pde.notation.mistakes import kept_values_told
from dof.pde.problem import Problem
from dof.solving.devices import Devices
from dof.solving.measuring.training_report import Report
from dof.solving.networks import network_of
from dof.solving.networks_by_field import network_by_field
from dof.solving.settings import settings_of
from dof.solving.solutions.solution import Solution
from dof.solving.time_windows import WindowedSolution, problem_in_window, window_ends
from dof.solving.training import Training, TrainingState
from dof.solving.warm_start import with_size_of, with_unknowns, with_weights
from dof.zoo import problem_named


def solve(
    problem: Problem | str,
    network: Any = None,
    *,
    start: Solution | None = None,
    mesh: Mesh | None = None,
    on_report: Callable[[Report], Any] | None = None,
    **settings: Any,
) -> Solution | WindowedSolution:
    """Train a network so that it solves `problem`, in float64.

    Args:
        problem: A `pde.Problem`, or a name of the zoo (`dof problems`).
        network: "mlp", "fourier" or "separable"; a callable pytree, as modules of Equinox and Flax NNX are; or a pair
            (params, apply) with apply(params, features). By default what the problem or its recipe says. A dictionary
            has one for each field, as {"u": "mlp", "k": {"width": 8, "of": "x"}}.
        start: A solution whose weights and unknowns training starts from, of this problem or of one with the same
            coordinates and fields; its network is taken if none is given.
        mesh: Devices over which the points are divided, a mesh with one axis; in several processes that of all their
            devices, with the same call in each. By default one device.
        on_report: Called after each interval of training; if it returns True, training ends with what was found.
        **settings: See `dof.solving.Settings`; they take precedence over the problem's recipe.

    Returns:
        The solution, a function of points: of all states at reports the one with the smallest residual on fresh points.
        With `windows=` a `WindowedSolution`, which has one for each window.

    Raises:
        Diverged: If a loss is no number or grows too large. What was found before is its attribute `solution`.

    Examples:
        >>> import dof
        >>> solution = dof.solve("heat", adam=20, newton=20, width=16)
        >>> assert solution.error < 1e-3
        >>> print(solution([0.5, 0.0]).shape)
        ()
    """
    with enable_x64(), kept_values_told():
        heard = on_report or (lambda report: None)
        training = training_of(problem, network, settings, start, mesh)
        _warn(training)
        if training.settings.windows == 1:
            return _trained(training, heard)
        whole, found = training.problem, ()
        while len(found) < training.settings.windows:
            part = training_in_window(whole, found, network, settings, start, mesh)
            found = (*found, _trained(part, heard))
        return WindowedSolution(whole, found)


def _warn(training: Training) -> None:
    """Warn, at the line that calls `solve`, of what speaks against good results."""
    for sentence in training.advice:
        warnings.warn(sentence, UserWarning, stacklevel=3)


def _trained(training: Training, on_report: Callable[[Report], Any]) -> Solution:
    best, history = training.objective.start, []
    try:
        for state, report in intervals(training, training.start()):
            # When training diverges in a later interval, this is what `Diverged.solution` has.
            best = state.progress.best
            history.append(report)
            if _is_true(on_report(report)):
                break
    except Diverged as error:
        if history:
            error.solution = Solution(training, best, tuple(history))
            error.add_note(f"What had been found at step {history[-1].step} is `solution` of this error.")
        raise
    return Solution(training, best, tuple(history))


def _is_true(answer: Any) -> bool:
    """Whether a callback said True, also as NumPy or JAX has it; another object, as a list, is no answer."""
    return isinstance(answer, (bool, np.bool_, jax.Array)) and bool(answer)


def training_of(
    problem: Problem | str,
    network: Any,
    settings: dict[str, Any],
    start: Solution | None = None,
    mesh: Mesh | None = None,
    is_window: bool = False,
) -> Training:
    """The training of a problem, or of one of the zoo, with the other arguments as `solve` takes them.

    `is_window` says that the problem is a window of time of another, whose reference is looked at there.
    """
    if isinstance(problem, str):
        problem = problem_named(problem)
    if not isinstance(problem, Problem):
        fix = 'dof.solve("heat"), or pde.Problem(residual, domain, conditions)'
        raise ArgumentTypeError(describe("problem", f"is {shown(problem)}", "a pde.Problem or a name of the zoo", fix))
    chosen, devices = settings_of(problem, settings), Devices(mesh)
    if start is not None:
        chosen = with_size_of(start, problem, chosen, settings, network)
    wanted = _network_that_is_meant(problem, chosen.network if network is None else network, start)
    if isinstance(wanted, Mapping):
        made = network_by_field(wanted, problem, chosen)
    else:
        outputs, size = problem.equation.fields.count, (chosen.width, chosen.depth)
        made = network_of(wanted, problem.feature_count, outputs, *size, chosen.activation)
    if start is not None:
        problem, made = with_unknowns(problem, start), with_weights(made, start)
    return Training(problem, made, chosen, devices, is_window)


def _network_that_is_meant(problem: Problem, given: Any, start: Solution | None) -> Any:
    """The network that is given; for "auto" that of the start, the problem's own, or an MLP."""
    if not (isinstance(given, str) and given == "auto"):
        return given
    if start is not None:
        return start.training.objective.network
    return "mlp" if problem.network is None else problem.network


def training_in_window(
    whole: Problem,
    before: tuple[Solution, ...],
    network: Any,
    settings: dict[str, Any],
    start: Solution | None = None,
    mesh: Mesh | None = None,
) -> Training:
    """The training in the window of time after those that are solved, with the weights of the last of them.

    Args:
        whole: The problem over all of time.
        before: The solutions in the windows before, from the first on.
        network: As of `solve`; so are the following.
        settings: With the number of windows, if it is not in the problem's recipe.
        start: Of the first window.
        mesh: Of devices.
    """
    last = before[-1] if before else None
    ends = window_ends(whole, settings_of(whole, settings).windows).tolist()
    part = problem_in_window(whole, ends[len(before)], ends[len(before) + 1], last)
    return training_of(part, network, settings, last or start, mesh, is_window=True)


def intervals(
    training: Training, state: TrainingState, last: Report | None = None
) -> Iterator[tuple[TrainingState, Report]]:
    """Train from `state` to the last step, and yield state and report after each interval.

    Args:
        training: The problem, the network and the settings.
        state: Where to begin; after a checkpoint, in the middle of training.
        last: The report that led to it, to whose times the others add.
    """
    while not training.is_done(state):
        state, last = training.advance(state, last)
        yield state, last

"""One solver on one problem, in a process of its own that says what error it has reached when."""

from __future__ import annotations

import inspect
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from dof.bench.solvers.races import RACES, SolverRace
from dof.bench.solvers.stopwatch import Found, Watch

SOLVERS = {"dof": "run_dof", "DeepXDE": "run_deepxde"}
"""For each solver the module that runs it."""
PATIENCE = 120.0
"""Seconds beyond the limit for imports and compilation, and for a chunk of L-BFGS that has begun before it."""
MOST_TIMES = 6
"""The clock may run so many times as fast as processor time; then a solver is ended, on a machine that is too busy."""


@dataclass
class SolverResult:
    """What a solver reached.

    Attributes:
        lines: of code that problem, network and training take.
        found: (seconds, relative error), one for each time that the error was measured.
        failure: why there is no more; None if it went well.
    """

    lines: int
    found: list[Found] = field(default_factory=list)
    failure: str | None = None


@dataclass(frozen=True)
class Timing:
    """The seconds that a solver may train, by the clock, or of processor time for a machine with other work."""

    limit: float = 300.0
    by_processor: bool = False

    def watch(self, values: np.ndarray, send: Callable[[Found], object]) -> Watch:
        """A watch that begins now."""
        return Watch(values, send, self.limit, time.process_time if self.by_processor else time.perf_counter)

    @property
    def patience(self) -> float:
        """Seconds by the clock after which a solver is ended: with other work, a core gives a part of its time."""
        return PATIENCE + self.limit * (MOST_TIMES if self.by_processor else 1)


def run_solver(solver: str, race: SolverRace, points: np.ndarray, values: np.ndarray, timing: Timing) -> SolverResult:
    """Run a solver on a problem for as long as `timing` allows."""
    # Not forked: a copy of a process in which JAX has started threads can hang.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=serve, args=(theirs, solver, race.name, points, values, timing), daemon=True)
    process.start()
    theirs.close()
    result, ends = SolverResult(0), time.monotonic() + timing.patience
    try:
        _listen(ours, result, ends)
    finally:
        process.kill()
        process.join()
    return result


def _listen(connection: Connection, result: SolverResult, ends: float) -> None:
    """Take what the solver says until it is done, is gone or takes too long."""
    while connection.poll(max(0.0, ends - time.monotonic())):
        try:
            word, what = connection.recv()
        except EOFError:
            result.failure = "the process ended"
            return
        if word == "done":
            return
        if word == "found":
            result.found.append(what)
        else:
            setattr(result, word, what)
    result.failure = "ended at the limit of time" if not result.found else None


def serve(
    connection: Connection, solver: str, name: str, points: np.ndarray, values: np.ndarray, timing: Timing
) -> None:
    """Run the solver, and send ("lines", n), ("found", …) as they come, ("failure", reason), ("done", None)."""
    try:
        # Imported before the watch starts: what is compared is solving.
        run = import_module(f"dof.bench.solvers.{SOLVERS[solver]}").run
        connection.send(("lines", lines_of(solver, name)))
        run(name, points, RACES[name].field, timing.watch(values, lambda found: connection.send(("found", found))))
    except Exception as error:
        connection.send(("failure", f"{type(error).__name__}: {error}".splitlines()[0]))
    connection.send(("done", None))


def lines_of(solver: str, name: str) -> int:
    """Lines of code that describe a problem and train.

    Those of its function, without head, docstring, comments and empty lines, and those that train:
    `dof.solve(problem)`, or `compile` and `train` for each optimiser.
    """
    module: Any = import_module(f"dof.bench.solvers.{'dof' if solver == 'dof' else 'deepxde'}_problems")
    text = inspect.getsource(getattr(module, name)).splitlines()[2:]
    lines = [line for line in text if line.strip() and not line.strip().startswith("#")]
    if solver == "dof":
        return len(lines) + 1
    return len(lines) + (2 if "then_lbfgs=False" in lines[-1] else 4)

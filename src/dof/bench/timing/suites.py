"""Which cases and methods a command measures, and how many points the machine can do in the time that there is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from dof import machine_info
from dof.bench.cases.case import Case
from dof.bench.cases.case_table import CASES, PAPER_OPERATORS, PEER_CASES, WAVE_CASES
from dof.bench.methods.method_table import METHODS
from dof.bench.results.outcomes import SuiteRun
from dof.bench.results.statistics import median
from dof.bench.timing.rounds import Limits, MatmulRate, run_case
from dof.bench.timing.worker_process import Failure

OnProgress = Callable[[str, str], None]
"""Is told the case, and what is being done."""

STARTING, BUILDING = 6.0, 1.5
"""Seconds to start a case and compute its reference, and to build one method: estimates for two cores, from which only
the number of points follows. No measurement of them is recorded."""
LEAST_POINTS, LEAST_SECONDS = 32, 5.0
"""A case is measured with at least this, however short the time: fewer points show overheads only. With 8 walkers,
a LapNet of 16 electrons came out 1.9 times as slow against folx as with 32."""
EFFICIENCY = 1.2
"""How many flops of the Hessian a method is taken to replace in the time of one flop of a matrix product: more than 1,
as most methods need fewer flops than the Hessian. An estimate for the number of points; no measurement is recorded."""


@dataclass(frozen=True)
class Suite:
    """The names of cases and methods that a command measures."""

    name: str
    cases: tuple[str, ...]
    methods: tuple[str, ...]


_PAPER = tuple(f"{kind}-{name}" for kind in ("mlp", "sparse") for name in PAPER_OPERATORS)
_HEADLINES = ("mlp-elliptic", "sparse-elliptic", "step-elliptic")
SUITES = {
    suite.name: suite
    for suite in (
        Suite("quick", _HEADLINES, ("hessian", "folx", "dof")),
        Suite("paper", _PAPER, ("hessian", "dof")),
        Suite("peers", PEER_CASES, tuple(name for name, method in METHODS.items() if method.exact)),
        Suite("waves", WAVE_CASES, ("hvp, vmap", "jvp of jvp", "folx", "dof, at once", "dof")),
    )
}


def run_suite(suite: Suite, budget: float, seed: int, limits: Limits, on_progress: OnProgress) -> SuiteRun:
    """Measure all cases of a suite in about `budget` seconds; each gets an equal part of the time that is left."""
    matmul = MatmulRate()
    run = SuiteRun(suite.name, seed, {**machine_info.machine_facts(), "device": matmul.device}, machine_info.versions())
    run.missing = {name: METHODS[name].package or "" for name in suite.methods if not METHODS[name].is_installed}
    try:
        matmul.measure()
        ends = time.monotonic() + budget
        for index, name in enumerate(suite.cases):
            # What earlier cases did not use is left for the later ones.
            case, left = CASES[name], max((ends - time.monotonic()) / (len(suite.cases) - index), LEAST_SECONDS)
            methods = methods_for(suite, case)
            on_progress(case.title, "how many points")
            points = points_for(case, len(methods), left, matmul, limits.rounds)
            of_case = lambda step, title=case.title: on_progress(title, step)  # noqa: E731
            run.cases.append(run_case(case, methods, points, seed, limits.within(left), matmul, of_case))
        run.rates = matmul.rates
    finally:
        matmul.stop()
    return run


def methods_for(suite: Suite, case: Case) -> list[str]:
    """The methods of the suite that are installed and can do the case."""
    extra = case.extra_methods if suite.name == "peers" else ()
    chosen = [name for name, m in METHODS.items() if (name in suite.methods or name in extra) and m.is_installed]
    return [name for name in chosen if METHODS[name].can_do(case)]


def points_for(case: Case, methods: int, seconds: float, matmul: MatmulRate, rounds: int) -> int:
    """The points of the case, halved until all methods fit the time."""
    flops = matmul.flops_of_a_point(case.name)
    if isinstance(flops, Failure):
        return case.points
    # At least a fifth of the time, if starting alone would take all of it.
    running = max(seconds - STARTING - BUILDING * methods, 0.2 * seconds)
    # Three runs more than rounds: two while building, one for the result.
    of_point = methods * (rounds + 3) * flops / (EFFICIENCY * median(matmul.rates))
    points = case.points
    while points > LEAST_POINTS and points * of_point > running:
        points //= 2
    return points

"""Which cases and methods a command measures, and how many points the machine can do in the time that there is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from dof import system
from dof.bench.cases.case_table import CASES, PAPER_OPERATORS, Case
from dof.bench.methods.method_table import METHODS
from dof.bench.results.outcomes import Run
from dof.bench.results.statistics import median
from dof.bench.timing.rounds import Limits, Ruler, run_case
from dof.bench.timing.worker_process import Failure

Report = Callable[[str, str], None]
"""Told the case, and what is being done."""

PAPER_METHODS = ("hessian", "dof")
EXACT_METHODS = tuple(name for name, method in METHODS.items() if method.exact)
STARTING, BUILDING = 6.0, 1.5
"""Seconds that it takes to start a case and find its truth, and to build one method."""
LEAST_POINTS, LEAST_SECONDS = 8, 5.0
EFFICIENCY = 1.2
"""Rate at which methods seem to do the flops of the Hessian, relative to matrix products: most do fewer."""


@dataclass(frozen=True)
class Suite:
    name: str
    cases: tuple[str, ...]
    methods: tuple[str, ...]


_PAPER = tuple(f"{kind}-{name}" for kind in ("mlp", "sparse") for name in PAPER_OPERATORS)
_HEADLINES = ("mlp-elliptic", "sparse-elliptic", "step-elliptic")
SUITES = {
    suite.name: suite
    for suite in (
        Suite("quick", _HEADLINES, ("hessian", "folx", "dof")),
        Suite("paper", _PAPER, PAPER_METHODS),
        Suite("peers", tuple(CASES), EXACT_METHODS),
    )
}


def run_suite(suite: Suite, budget: float, seed: int, limits: Limits, report: Report) -> Run:
    ruler = Ruler()
    run = Run(suite.name, seed, {**system.describe(), "device": ruler.device}, system.versions())
    run.missing = {name: METHODS[name].package or "" for name in suite.methods if not METHODS[name].is_installed}
    try:
        ruler.measure()
        ends = time.monotonic() + budget
        for index, name in enumerate(suite.cases):
            case, left = CASES[name], max((ends - time.monotonic()) / (len(suite.cases) - index), LEAST_SECONDS)
            methods = methods_for(suite, case)
            report(case.title, "how many points")
            points = points_for(case, len(methods), left, ruler, limits.rounds)
            of_case = lambda step, title=case.title: report(title, step)  # noqa: E731
            run.cases.append(run_case(case, methods, points, seed, limits.within(left), ruler, of_case))
        run.rates = ruler.rates
    finally:
        ruler.stop()
    return run


def methods_for(suite: Suite, case: Case) -> list[str]:
    """Of the suite and of the case; PyTorch only where the network is written in it."""
    extra = case.extra if suite.name == "peers" else ()
    chosen = [name for name, m in METHODS.items() if (name in suite.methods or name in extra) and m.is_installed]
    return [name for name in chosen if METHODS[name].package != "torch" or case.network.in_torch]


def points_for(case: Case, methods: int, seconds: float, ruler: Ruler, rounds: int) -> int:
    """As many as the case asks for, or halves of it until all methods fit the time."""
    flops = ruler.flops_of_a_point(case.name)
    if isinstance(flops, Failure):
        return case.points
    running = max(seconds - STARTING - BUILDING * methods, 0.2 * seconds)
    of_point = methods * (rounds + 3) * flops / (EFFICIENCY * median(ruler.rates))
    points = case.points
    while points > LEAST_POINTS and points * of_point > running:
        points //= 2
    return points

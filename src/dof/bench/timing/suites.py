"""Which cases and methods a command measures, and how many points the machine can do in the time that there is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from dof import machine_info
from dof.bench.cases.case import Case
from dof.bench.cases.case_table import CASES, PAPER_OPERATORS, PEER_CASES, PINN_CASES, WAVE_CASES
from dof.bench.methods.method_table import METHODS
from dof.bench.results.outcomes import SuiteRun
from dof.bench.results.statistics import median
from dof.bench.timing.rounds import Limits, MatmulRate, run_case
from dof.bench.timing.worker_process import Failure

OnProgress = Callable[[str, str], None]
"""Is told the case, and what is being done."""

STARTING, BUILDING = 6.0, 1.5
"""Seconds to start a case and compute its reference, and to build one method: estimates for two cores, from which only
the number of points and what is left out follow. No measurement of them is recorded."""
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
        Suite("pinn", PINN_CASES, ("hessian", "jvp of jvp", "jvp of grad", "folx", "dof, at once", "dof")),
        Suite("waves", WAVE_CASES, ("hvp, vmap", "jvp of jvp", "folx", "dof, at once", "dof")),
    )
}


def run_suite(suite: Suite, budget: float, seed: int, limits: Limits, on_progress: OnProgress) -> SuiteRun:
    """Measure the cases of a suite in about `budget` seconds; each gets an equal part of the time that is left.

    A case that would need fewer points than say something (`Case.fewest_points`) takes more than its part. What then
    does not fit the time that is left is left out; the first case is measured always.
    """
    matmul = MatmulRate()
    run = SuiteRun(suite.name, seed, {**machine_info.machine_facts(), "device": matmul.device}, machine_info.versions())
    run.missing = {name: METHODS[name].package or "" for name in suite.methods if not METHODS[name].is_installed}
    try:
        matmul.measure()
        ends = time.monotonic() + budget
        for index, name in enumerate(suite.cases):
            case, left = CASES[name], ends - time.monotonic()
            methods = methods_for(suite, case)
            title = f"{case.title}, {case.points:,} points"
            on_progress(title, "how many points")
            # An equal part: what earlier cases did not use is left for the later ones.
            share = left / (len(suite.cases) - index)
            fitting = Fitting(case, len(methods), matmul, limits.within(share))
            least = fitting.seconds(case.fewest_points)
            if run.cases and least > left:
                run.left_out.append(title)
                continue
            of_case = lambda step, title=title: on_progress(title, step)  # noqa: E731
            points, within = fitting.points(share), limits.within(max(share, least))
            run.cases.append(run_case(case, methods, points, seed, within, matmul, of_case))
        run.rates = matmul.rates
    finally:
        matmul.stop()
    return run


def methods_for(suite: Suite, case: Case) -> list[str]:
    """The methods of the suite that are installed and can do the case."""
    extra = case.extra_methods if suite.name == "peers" else ()
    chosen = [name for name, m in METHODS.items() if (name in suite.methods or name in extra) and m.is_installed]
    return [name for name in chosen if METHODS[name].can_do(case)]


@dataclass
class Fitting:
    """How long a case takes with how many points, by its flops and the rate of matrix products."""

    case: Case
    methods: int
    matmul: MatmulRate
    limits: Limits

    def seconds(self, points: int) -> float:
        """The time of all methods with so many points; that of starting alone if the flops are not known."""
        # Three runs more than rounds: two while building, one for the result.
        running = (self.limits.rounds + 3) * points * self._flops / (EFFICIENCY * median(self.matmul.rates))
        # A method that takes longer than its limit is ended, as the Hessian of 100,000 inputs.
        return STARTING + self.methods * (BUILDING + min(running, self.limits.build))

    def points(self, seconds: float) -> int:
        """The points of the case, halved until all methods fit the time, but not below its fewest."""
        points = self.case.points
        while points > self.case.fewest_points and self.seconds(points) > seconds:
            points //= 2
        return max(points, self.case.fewest_points)

    @cached_property
    def _flops(self) -> float:
        found = self.matmul.flops_of_a_point(self.case.name)
        return 0.0 if isinstance(found, Failure) else found

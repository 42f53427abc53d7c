"""The table of `dof bench waves`: dof, in blocks and at once, beside folx."""

from __future__ import annotations

from collections.abc import Callable

from dof.bench.results.outcomes import CaseResult, Outcome, SuiteRun
from dof.bench.results.statistics import median, ratio_of_medians
from dof.text_table import TextTable

COLUMNS = ["network", "walkers", "dof ms", "MB", "at once ms", "folx: time", "at once", "memory", "build"]
NOTES = [
    "folx: the fastest of its thresholds; its time and memory are relative to dof, in blocks and at once",
    "build: seconds to trace and compile, by folx relative to dof",
]


def wave_table(run: SuiteRun) -> TextTable:
    """One line for each network."""
    table = TextTable("dof against folx on neural wave functions", COLUMNS)
    table.rows = [_row(result) for result in run.cases]
    table.notes = NOTES + run.gaps
    return table


def _row(result: CaseResult) -> list[str]:
    ours, at_once, folx = (result.done(name) for name in ("dof", "dof, at once", "folx"))
    name = result.title.removesuffix(", Laplacian")
    own = [_milliseconds(ours), "–" if ours is None else f"{1e-6 * (ours.temporary or 0):.3g}", _milliseconds(at_once)]
    times = [_times(folx, ours), _times(folx, at_once)]
    return [name, f"{result.points:,}", *own, *times, _ratio(folx, ours, _memory), _ratio(folx, ours, _building)]


def _milliseconds(it: Outcome | None) -> str:
    return "–" if it is None else f"{1e3 * median(it.seconds):.3g}"


def _times(folx: Outcome | None, ours: Outcome | None) -> str:
    return "–" if folx is None or ours is None else f"{ratio_of_medians(folx.seconds, ours.seconds).value:.2f}×"


def _memory(it: Outcome) -> float:
    return float(it.temporary or 0)


def _building(it: Outcome) -> float:
    return (it.tracing or 0.0) + (it.compiling or 0.0)


def _ratio(folx: Outcome | None, ours: Outcome | None, figure: Callable[[Outcome], float]) -> str:
    if folx is None or ours is None or not figure(ours):
        return "–"
    return f"{figure(folx) / figure(ours):.1f}×"

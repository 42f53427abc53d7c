"""The comparison of two runs: what got slower, what got faster, what takes more memory."""

from __future__ import annotations

from collections.abc import Iterator

from dof.bench.results.outcomes import CaseResult, Outcome, SuiteRun
from dof.bench.results.statistics import ConfidenceInterval, format_interval, median, ratio_of_medians
from dof.text_table import TextTable

NOTABLE = 0.05
"""Smallest relative change that counts, if its interval does not contain 1. Chosen: on a shared machine runs of the
same code may differ by more (`docs/explanation/performance.md`)."""
COLUMNS = ["case", "method", "before ms", "after ms", "after / before", "memory", ""]


def compare_runs(before: SuiteRun, after: SuiteRun) -> tuple[TextTable, list[str]]:
    """Compare the methods and cases that both runs have.

    Times are scaled by the rate of matrix products of each run, so that runs on a machine that was slower in the
    meantime, or on another one, can be compared.

    Returns:
        A table, and a line for each case and method that got slower, needs more memory, or fails now.
    """
    table, worse = TextTable("after against before, by the rate of matrix products of each run", COLUMNS), []
    scale = median(after.rates) / median(before.rates) if before.rates and after.rates else 1.0
    for old_case, new_case, old, new in _pairs(before, after):
        cells, verdict = _judge(old_case, new_case, old, new, scale)
        table.rows.append([new_case.title, new.method, *cells, verdict])
        if verdict in ("slower", "more memory", "fails now"):
            worse.append(f"{new_case.title}, {new.method}: {verdict}")
    rate = f"the machine's rate of matrix products is {scale:.2f} times that of before: times are scaled by it"
    table.notes = [f"before: {_origin(before)}", f"after: {_origin(after)}", rate]
    return table, worse


def _origin(run: SuiteRun) -> str:
    """The version of dof that was measured, and its commit where it is known."""
    return ", ".join(f"{key} {run.versions[key]}" for key in ("dof", "commit") if key in run.versions)


def _pairs(before: SuiteRun, after: SuiteRun) -> Iterator[tuple[CaseResult, CaseResult, Outcome, Outcome]]:
    known = {case.case: case for case in before.cases}
    for case in after.cases:
        for name, outcome in case.outcomes.items():
            if case.case in known and name in known[case.case].outcomes:
                yield known[case.case], case, known[case.case].outcomes[name], outcome


def _judge(
    old_case: CaseResult, new_case: CaseResult, old: Outcome, new: Outcome, scale: float
) -> tuple[list[str], str]:
    """Cells and verdict of one line. Runs with different numbers of points are compared by the time of a point."""
    times = [_milliseconds(outcome) for outcome in (old, new)]
    if not (old.seconds and new.seconds):
        return [*times, "–", "–"], _by_failure(old, new)
    per_point = old_case.points / new_case.points
    # Rounds of two runs have nothing in common: they are resampled independently.
    found = ratio_of_medians(new.seconds, old.seconds, paired=False)
    change = ConfidenceInterval(*(scale * per_point * figure for figure in found))
    # Memory is not in proportion to the points (dof takes that of a block): only equal numbers are compared.
    memory = new.temporary / old.temporary if new.temporary and old.temporary and per_point == 1 else None
    cells = [format_interval(change), "–" if memory is None else f"{memory:.2f}"]
    return times + cells, _verdict(change, memory)


def _milliseconds(it: Outcome) -> str:
    return f"{1e3 * median(it.seconds):.4g}" if it.seconds else (it.failure or "–").split(":")[0]


def _by_failure(old: Outcome, new: Outcome) -> str:
    return "fails now" if old.seconds else "works now" if new.seconds else ""


def _verdict(change: ConfidenceInterval, memory: float | None) -> str:
    if change.low > 1 and change.value > 1 + NOTABLE:
        return "slower"
    if memory is not None and memory > 1 + NOTABLE:
        return "more memory"
    return "faster" if change.high < 1 and change.value < 1 - NOTABLE else ""

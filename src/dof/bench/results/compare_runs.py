"""Two runs side by side: what got slower, what got faster, what takes more memory."""

from __future__ import annotations

from collections.abc import Iterator

from dof.bench.results.outcomes import CaseResult, Outcome, Run
from dof.bench.results.statistics import Interval, interval, median, ratio
from dof.text_table import TextTable

NOTABLE = 0.05
"""A change of time counts if it is larger than that and its interval does not contain 1."""
COLUMNS = ["case", "method", "before ms", "after ms", "after / before", "memory", ""]


def compare(before: Run, after: Run) -> tuple[TextTable, list[str]]:
    """A table, and the cases and methods that got slower, need more memory, or fail now."""
    table, worse = TextTable("after against before, by the rate of matrix products of each run", COLUMNS), []
    scale = median(after.rates) / median(before.rates) if before.rates and after.rates else 1.0
    for old_case, new_case, old, new in _pairs(before, after):
        cells, verdict = _judge(old_case, new_case, old, new, scale)
        table.rows.append([new_case.title, new.method, *cells, verdict])
        if verdict in ("slower", "more memory", "fails now"):
            worse.append(f"{new_case.title}, {new.method}: {verdict}")
    table.notes = [f"the machine's rate of matrix products is {scale:.2f} times that of before: times are scaled by it"]
    return table, worse


def _pairs(before: Run, after: Run) -> Iterator[tuple[CaseResult, CaseResult, Outcome, Outcome]]:
    known = {case.case: case for case in before.cases}
    for case in after.cases:
        for name, outcome in case.outcomes.items():
            if case.case in known and name in known[case.case].outcomes:
                yield known[case.case], case, known[case.case].outcomes[name], outcome


def _judge(
    old_case: CaseResult, new_case: CaseResult, old: Outcome, new: Outcome, scale: float
) -> tuple[list[str], str]:
    """Seconds are those of a point, if the runs did not have the same number of them."""
    times = [_milliseconds(outcome) for outcome in (old, new)]
    if not (old.seconds and new.seconds):
        return [*times, "–", "–"], _by_failure(old, new)
    per_point = old_case.points / new_case.points
    found = ratio(new.seconds, old.seconds)
    change = Interval(*(scale * per_point * figure for figure in found))
    memory = new.temporary / old.temporary if new.temporary and old.temporary and per_point == 1 else None
    cells = [interval(change), "–" if memory is None else f"{memory:.2f}"]
    return times + cells, _verdict(change, memory)


def _milliseconds(it: Outcome) -> str:
    return f"{1e3 * median(it.seconds):.4g}" if it.seconds else (it.failure or "–").split(":")[0]


def _by_failure(old: Outcome, new: Outcome) -> str:
    return "fails now" if old.seconds else "works now" if new.seconds else ""


def _verdict(change: Interval, memory: float | None) -> str:
    if change.low > 1 and change.value > 1 + NOTABLE:
        return "slower"
    if memory is not None and memory > 1 + NOTABLE:
        return "more memory"
    return "faster" if change.high < 1 and change.value < 1 - NOTABLE else ""

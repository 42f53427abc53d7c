"""Both tables of the DOF paper: its own figures, measured on a V100, beside those of this machine."""

from __future__ import annotations

from typing import NamedTuple

from dof.bench.cases.case_table import PAPER_OPERATORS
from dof.bench.results.outcomes import CaseResult, SuiteRun
from dof.bench.results.statistics import format_interval, median, ratio_of_medians
from dof.text_table import TextTable


class PublishedFigures(NamedTuple):
    """Megabytes and milliseconds of the Hessian and of DOF, and their ratios as the paper prints them."""

    hessian_mb: float
    dof_mb: float
    memory: float
    hessian_ms: float
    dof_ms: float
    time: float


PUBLISHED = {
    "mlp-elliptic": PublishedFigures(10421, 3165, 3.3, 196.7, 106.6, 1.8),
    "mlp-low-rank": PublishedFigures(10427, 2141, 4.9, 196.2, 55.8, 3.5),
    "mlp-general": PublishedFigures(10429, 3181, 3.3, 197.4, 122.2, 1.6),
    "sparse-elliptic": PublishedFigures(21401, 997, 21.5, 366.4, 18.9, 19.4),
    "sparse-low-rank": PublishedFigures(21401, 869, 24.6, 366.2, 12.7, 28.9),
    "sparse-general": PublishedFigures(21401, 997, 21.5, 366.6, 18.9, 19.4),
}
TITLES = {"mlp": "MLP, 64 inputs, 8 layers of 256", "sparse": "MLP with Jacobian sparsity, 16 blocks of 4 inputs"}
COLUMNS = ["operator", "memory MB: Hessian", "DOF", "ratio", "time ms: Hessian", "DOF", "ratio"]


def paper_tables(run: SuiteRun) -> list[TextTable]:
    """One table for each network, with two lines for each operator: this machine, and the paper."""
    found = {result.case: result for result in run.cases}
    return [_table(kind, title, found) for kind, title in TITLES.items()]


def _table(kind: str, title: str, found: dict[str, CaseResult]) -> TextTable:
    results = [(name, found[f"{kind}-{name}"]) for name in PAPER_OPERATORS if f"{kind}-{name}" in found]
    points = ", ".join(sorted({str(result.points) for _, result in results}))
    table = TextTable(f"{title}; {points} points, float32", COLUMNS)
    for name, result in results:
        table.rows.append([name, *_ours(result)])
        table.rows.append(["  the paper, V100", *_theirs(PUBLISHED[result.case])])
    table.notes = [
        "memory: temporary buffers, as XLA counts them; the paper's is that of the whole process",
        "ratio of times: with the 95 % interval over the rounds in brackets",
    ]
    return table


def _ours(result: CaseResult) -> list[str]:
    hessian, ours = result.done("hessian"), result.done("dof")
    memory, times = ["–"] * 3, ["–"] * 3
    if hessian and ours and hessian.temporary and ours.temporary:
        memory = [f"{hessian.temporary / 1e6:.1f}", f"{ours.temporary / 1e6:.1f}"]
        memory.append(f"{hessian.temporary / ours.temporary:.1f}×")
    for index, (method, outcome) in enumerate((("hessian", hessian), ("dof", ours))):
        failed = result.outcomes[method].failure if method in result.outcomes else None
        times[index] = f"{1e3 * median(outcome.seconds):.1f}" if outcome else failed or "–"
    if hessian and ours:
        times[2] = format_interval(ratio_of_medians(hessian.seconds, ours.seconds), "×")
    return memory + times


def _theirs(it: PublishedFigures) -> list[str]:
    memory = [f"{it.hessian_mb:.0f}", f"{it.dof_mb:.0f}", f"{it.memory:.1f}×"]
    return [*memory, f"{it.hessian_ms:.1f}", f"{it.dof_ms:.1f}", f"{it.time:.1f}×"]

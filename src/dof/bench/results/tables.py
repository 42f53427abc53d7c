"""Tables of a run: all figures of each case, and a summary with one line for each case."""

from __future__ import annotations

from dof.bench.methods.method_table import METHODS
from dof.bench.results.outcomes import CaseResult, Outcome, SuiteRun
from dof.bench.results.statistics import format_interval, median, ratio_of_medians, relative_quartile_deviation
from dof.text_table import TextTable

COLUMNS = ["method", "time ms", "times faster", "temp. MB", "peak MB", "trace s", "compile s", "deviation", "GEMM"]
NOTES = [
    "times faster than the Hessian, with the 95 % interval over the rounds in brackets",
    "temp.: temporary buffers by XLA; peak: what the first run adds to the resident memory of a fresh process",
    "deviation: from nested differentiation in float64; GEMM: share of the machine's rate of matrix products",
]


def table_of_case(result: CaseResult, rate: float) -> TextTable:
    """One line for each method; `rate` is the machine's rate of matrix products in flops per second."""
    table = TextTable(f"{result.title}; {result.points:,} points, float32", COLUMNS)
    table.rows = [_row(result, outcome, rate) for outcome in result.outcomes.values()]
    failed = [o for o in result.outcomes.values() if o.failure]
    table.notes = [f"{o.method}: {o.failure}" for o in failed if len(_short(o.failure or "")) < len(o.failure or "")]
    return table


def _row(result: CaseResult, it: Outcome, rate: float) -> list[str]:
    if not it.seconds:
        return [it.method, _short(it.failure or "–"), *["–"] * (len(COLUMNS) - 2)]
    name = it.method if it.option in (None, 0) else f"{it.method}, {it.option}"
    time = [f"{1e3 * median(it.seconds):.3g} ±{100 * relative_quartile_deviation(it.seconds):.0f}%", _ratio(result, it)]
    memory = [_scaled(it.temporary, 1e-6), _scaled(it.peak, 1e-6)]
    building = [_scaled(it.tracing), _scaled(it.compiling)]
    deviation = f"{it.deviation:.0e}{'' if it.exact else ' (estimate)'}"
    share = f"{it.flops / median(it.seconds) / rate:.2f}" if it.flops and rate else "–"
    return [name, *time, *memory, *building, deviation, share]


def _ratio(result: CaseResult, it: Outcome) -> str:
    hessian = result.done("hessian")
    if hessian is None:
        return "–"
    return format_interval(ratio_of_medians(hessian.seconds, it.seconds))


def _scaled(figure: float | int | None, scale: float = 1.0) -> str:
    return "–" if figure is None else f"{scale * figure:.3g}"


def _short(text: str) -> str:
    """A failure that fits a cell; the whole text is in a note."""
    return text.split(":")[0] if len(text) > 30 else text


SUMMARY = ["case", "points", "dof ms", "dof MB", "Hessian: time", "memory", "fastest other", "time", "memory"]


def summary_table(run: SuiteRun) -> TextTable:
    """One line for each case: dof beside the Hessian and beside the fastest other exact method."""
    table = TextTable("dof against the Hessian and against the fastest other method", SUMMARY)
    for result in run.cases:
        table.rows.append([result.title, f"{result.points:,}", *_summary(result)])
    notes = ["time and memory of the Hessian and of the fastest other exact method are relative to dof"]
    table.notes = notes + run.gaps
    return table


def _summary(result: CaseResult) -> list[str]:
    ours, hessian = result.done("dof"), result.done("hessian")
    if ours is None:
        return [_short(result.outcomes["dof"].failure or "–"), *["–"] * 6]
    figures = [f"{1e3 * median(ours.seconds):.4g}", _scaled(ours.temporary, 1e-6)]
    failure = _short(result.outcomes["hessian"].failure or "–") if "hessian" in result.outcomes else "–"
    against = [_times(hessian, ours), _memory(hessian, ours)] if hessian else [failure, failure]
    other = fastest_other(result)
    of_other = [other.method, _times(other, ours), _memory(other, ours)] if other else ["–"] * 3
    return [*figures, *against, *of_other]


def fastest_other(result: CaseResult) -> Outcome | None:
    """The fastest exact method that is not dof."""
    others = [o for n, o in result.outcomes.items() if o.seconds and METHODS[n].exact and not n.startswith("dof")]
    return min(others, key=lambda outcome: median(outcome.seconds), default=None)


def _times(it: Outcome, ours: Outcome) -> str:
    return f"{ratio_of_medians(it.seconds, ours.seconds).value:.3g}×"


def _memory(it: Outcome, ours: Outcome) -> str:
    return f"{it.temporary / ours.temporary:.1f}×" if it.temporary and ours.temporary else "–"

"""Tables of what was found: every figure of a case, and one line for each case."""

from __future__ import annotations

from dof.bench.grid import Grid
from dof.bench.methods import METHODS
from dof.bench.results import CaseResult, Outcome, Run
from dof.bench.statistics import median, ratio, spread

COLUMNS = [
    "method",
    "time ms",
    "spread",
    "Hessian / it",
    "temp. MB",
    "peak MB",
    "trace s",
    "compile s",
    "deviation",
    "GEMM",
]
NOTES = [
    "Hessian / it: how many times faster than the Hessian, in brackets where it lies in 95 of 100 resamplings",
    "temp.: temporary buffers by XLA; peak: what the first run adds to the resident memory of a fresh process",
    "deviation: from nested differentiation in float64; GEMM: share of the machine's rate of matrix products",
]


def case_grid(result: CaseResult, rate: float) -> Grid:
    grid = Grid(f"{result.title}; {result.points:,} points, float32", COLUMNS)
    grid.rows = [_row(result, outcome, rate) for outcome in result.outcomes.values()]
    failed = [o for o in result.outcomes.values() if o.failure]
    grid.notes = [f"{o.method}: {o.failure}" for o in failed if len(_short(o.failure or "")) < len(o.failure or "")]
    return grid


def _row(result: CaseResult, it: Outcome, rate: float) -> list[str]:
    if not it.seconds:
        return [it.method, _short(it.failure or "–"), *["–"] * (len(COLUMNS) - 2)]
    name = it.method if it.option in (None, 0) else f"{it.method}, {it.option}"
    time = [f"{1e3 * median(it.seconds):.4g}", f"±{100 * spread(it.seconds):.0f} %", _ratio(result, it)]
    memory = [_scaled(it.temporary, 1e-6), _scaled(it.peak, 1e-6)]
    building = [_scaled(it.tracing), _scaled(it.compiling)]
    deviation = f"{it.deviation:.1e}{'' if it.exact else ' (estimate)'}"
    flops = _flops(result, it)
    share = f"{flops / median(it.seconds) / rate:.2f}" if flops and rate else "–"
    return [name, *time, *memory, *building, deviation, share]


def _flops(result: CaseResult, it: Outcome) -> float | None:
    """Blocks compute what is computed at once, but XLA does not count the turns of a loop."""
    at_once = {"dof": "dof, at once", "hessian, blocks": "hessian"}.get(it.method)
    whole = result.done(at_once) if at_once and it.flops is None else None
    return whole.flops if whole else it.flops


def _ratio(result: CaseResult, it: Outcome) -> str:
    hessian = result.done("hessian")
    if hessian is None:
        return "–"
    found = ratio(hessian.seconds, it.seconds)
    return f"{found.value:.2f}× ({found.low:.2f}–{found.high:.2f})"


def _scaled(figure: float | int | None, scale: float = 1.0) -> str:
    return "–" if figure is None else f"{scale * figure:.3g}"


def _short(text: str) -> str:
    return text.split(":")[0] if len(text) > 30 else text


def summary_grid(run: Run) -> Grid:
    """One line for each case: dof beside the Hessian and beside the fastest exact way that is not dof."""
    grid = Grid("dof against the Hessian and against the fastest other way", SUMMARY)
    for result in run.cases:
        grid.rows.append([result.title, f"{result.points:,}", *_summary(result)])
    grid.notes = [f"{name} is not installed: pip install {package}" for name, package in run.missing.items()]
    return grid


SUMMARY = ["case", "points", "dof ms", "dof MB", "time: Hessian / dof", "memory: Hessian / dof", "other / dof", "other"]


def _summary(result: CaseResult) -> list[str]:
    ours, hessian = result.done("dof"), result.done("hessian")
    if ours is None:
        return [_short(result.outcomes["dof"].failure or "–"), *["–"] * 5]
    figures = [f"{1e3 * median(ours.seconds):.4g}", _scaled(ours.temporary, 1e-6)]
    failure = _short(result.outcomes["hessian"].failure or "–") if "hessian" in result.outcomes else "–"
    against = [_times(hessian, ours), _memory(hessian, ours)] if hessian else [failure, failure]
    other = fastest_other(result)
    return [*figures, *against, *([_times(other, ours), other.method] if other else ["–", "–"])]


def fastest_other(result: CaseResult) -> Outcome | None:
    others = [o for n, o in result.outcomes.items() if o.seconds and METHODS[n].exact and not n.startswith("dof")]
    return min(others, key=lambda outcome: median(outcome.seconds), default=None)


def _times(it: Outcome, ours: Outcome) -> str:
    found = ratio(it.seconds, ours.seconds)
    return f"{found.value:.2f}× ({found.low:.2f}–{found.high:.2f})"


def _memory(it: Outcome, ours: Outcome) -> str:
    return f"{it.temporary / ours.temporary:.1f}×" if it.temporary and ours.temporary else "–"

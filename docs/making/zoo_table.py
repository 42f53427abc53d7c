"""Puts the tables of the zoo into docs/explanation/accuracy.md, from the runs in docs/explanation/accuracy/zoo.jsonl.

The second one has what others state beside them, from `published_errors.py`.

    python docs/making/zoo_table.py

A test compares the page with the file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from docs.making import performance_tables
from docs.making.published_errors import PUBLISHED
from docs.making.zoo_runs import runs

from dof.text_table import TextTable
from dof.zoo import ZOO, problem_named

PAGE = Path(__file__).parents[1] / "explanation" / "accuracy.md"
SMOOTH = 1e-6
"""The error that is aimed at where nothing speaks against it; `GOALS` has the others."""
GOALS: dict[str, float | None] = {
    **dict.fromkeys(["burgers", "allen-cahn", "black-scholes", "fokker-planck", "navier-stokes"], 1e-5),
    **{name: 1e-3 for name in ZOO if name.startswith("sine-gordon")},
    # Its data have noise, which no training takes away.
    "diffusion-tensor": None,
}
COLUMNS = "problem,coordinates,goal,seed 0,median,worst,seeds,parameters,points,steps,time".split(",")


BESIDE_OTHERS = ["problem", "others", "error", "steps, time", "dof: median", "worst", "time"]


def found_by_problem() -> dict[str, list[dict[str, Any]]]:
    """The runs of each problem in the order of their seeds, in the order of the zoo."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ZOO}
    for (name, _), run in sorted(runs().items()):
        found.get(name, []).append(run)
    return {name: of_problem for name, of_problem in found.items() if of_problem}


def table() -> TextTable:
    """A row for each problem that was solved."""
    rows = [row(name, of_problem) for name, of_problem in found_by_problem().items()]
    return TextTable("The zoo", COLUMNS, rows, text_columns=2)


def beside_others() -> TextTable:
    """A row for each figure that others state; dof's stand in the first of a problem."""
    rows: list[list[str]] = []
    for problem, method, source, error, cost in PUBLISHED:
        is_first = not any(row[0] == problem for row in rows)
        _, _, _, _, middle, worst, *_, seconds = row(problem, found_by_problem()[problem])
        rows.append(
            [problem, f"{method} [{source}]", error, cost, *([middle, worst, seconds] if is_first else [""] * 3)]
        )
    return TextTable("Beside what others state", BESIDE_OTHERS, rows, text_columns=2)


def row(name: str, found: list[dict[str, Any]]) -> list[str]:
    """Of one problem, from its runs in the order of their seeds; size and steps are those of the first."""
    errors, goal = [run["error"] for run in found], GOALS.get(name, SMOOTH)
    over = [median(errors), max(errors)] if len(errors) > 1 else []
    each = [f"{error:.1e}" for error in [errors[0], *over]] + ["–"] * (2 - len(over))
    size = [f"{found[0][key]:,}" for key in ("parameters", "points", "steps")]
    asked = "–" if goal is None else f"{goal:.0e}"
    seconds = f"{median(run['seconds'] for run in found):.0f} s"
    return [name, str(problem_named(name).equation.coordinates), asked, *each, str(len(found)), *size, seconds]


def made(page: str) -> str:
    """The text of the page with the tables as the files have them."""
    tables = {"zoo": table, "others": beside_others}
    rows_of = lambda name: tables[name]().in_markdown().split("\n\n")[1].rstrip() + "\n"  # noqa: E731
    return performance_tables.made(page, rows_of)


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

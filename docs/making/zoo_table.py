"""Puts the table of the zoo into docs/explanation/accuracy.md, from the runs in docs/explanation/accuracy/zoo.jsonl.

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


def table() -> TextTable:
    """A row for each problem that was solved, in the order of the zoo."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ZOO}
    for (name, _), run in sorted(runs().items()):
        found.get(name, []).append(run)
    rows = [row(name, of_problem) for name, of_problem in found.items() if of_problem]
    return TextTable("The zoo", COLUMNS, rows, text_columns=2)


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
    """The text of the page with the table as the file has it."""
    rows = table().in_markdown().split("\n\n")[1].rstrip() + "\n"
    return performance_tables.made(page, lambda _: rows)


if __name__ == "__main__":
    PAGE.write_text(made(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

"""Puts the tables of `dof bench` into README.md and docs/explanation/performance.md, between marks.

    python docs/making/performance_tables.py

reads the files of docs/explanation/performance, and a test compares the pages with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from dof.bench.results.outcomes import SuiteRun, load
from dof.bench.results.paper_tables import paper_tables
from dof.bench.results.tables import summary_table
from dof.bench.results.wave_tables import wave_table
from dof.bench.solvers.solver_results import load_or_begin
from dof.bench.solvers.write_solvers import solver_table
from dof.text_table import TextTable

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/explanation/performance"
PAGES = (ROOT / "README.md", ROOT / "docs/explanation/performance.md")
MARKS = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of table -->)", flags=re.S)


def rows_of(name: str) -> str:
    """The table of a suite in Markdown, without title and notes; nothing if it has not been run yet."""
    if name == "torch":  # its results are a table only: title, rows
        return (FOLDER / "torch.md").read_text(encoding="utf-8").split("\n\n")[1].rstrip() + "\n"
    if not (FOLDER / f"{name}.json").exists():
        return ""
    tables = _tables(name)
    texts = (t.in_markdown().split("\n\n") for t in tables)
    return (
        "\n".join(f"{title.strip('*')}:\n\n{rows}\n" if len(tables) > 1 else rows for title, rows, *_ in texts) + "\n"
    )


def _tables(name: str) -> list[TextTable]:
    if name == "solvers":
        return [solver_table(load_or_begin(FOLDER))]
    run: SuiteRun = load(FOLDER / f"{name}.json")
    return paper_tables(run) if name == "paper" else [wave_table(run) if name == "waves" else summary_table(run)]


def made(page: str, rows_of: Callable[[str], str] = rows_of) -> str:
    """The text of a page with its tables as the files have them; `rows_of` gives the rows for the name of a table."""
    return MARKS.sub(lambda found: found[1] + rows_of(found[2]) + found[3], page)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(made(path.read_text(encoding="utf-8")), encoding="utf-8")

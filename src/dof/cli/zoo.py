"""`dof zoo`: the table of all problems."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import jax
import typer
from rich.console import Console

from dof.cli.option_values import folder, matching
from dof.cli.plain_errors import told_plainly
from dof.cli.training_progress import ProgressLine
from dof.runs.html_page import numbers
from dof.runs.zoo_rows import ZooEntry, zoo_row
from dof.solving.settings import settings_of
from dof.text_table import TextTable, print_tables
from dof.zoo import ZOO, problem_named

FILE = "zoo.json"
COLUMNS = [
    "problem",
    "coordinates",
    "relative error",
    "training",
    "steps",
    "parameters",
    "step",
    "by Hessians",
    "ratio",
]


def zoo(
    names: Annotated[str, typer.Option(help="Only problems with such a name, as 'heat*'.")] = "*",
    out: Annotated[Path, typer.Option(help="Folder for the table, and for a folder of each problem.")] = Path(
        "dof-zoo"
    ),
    debug: Annotated[bool, typer.Option("--debug", help="Errors with their traceback.")] = False,
) -> None:
    """Solve all problems of the zoo, and compare the time of a step with that of full Hessians.

    What the folder has of other problems stays in the table.
    """
    chosen = matching(ZOO, names, "problem")
    with told_plainly(debug):
        jax.config.update("jax_enable_x64", True)
        out = folder(out)
        entries = _read(out)
        for name in chosen:
            with ProgressLine(name, settings_of(problem_named(name), {}), as_json=False) as line:
                entries[name] = zoo_row(name, out, line.report)
            _write(entries, out)
        print_tables([_table(entries)], Console())


def _read(out: Path) -> dict[str, ZooEntry]:
    data = json.loads((out / FILE).read_text(encoding="utf-8")) if (out / FILE).exists() else []
    return {found["name"]: ZooEntry(**found) for found in data}


def _write(entries: dict[str, ZooEntry], out: Path) -> None:
    """After each problem, so that nothing is lost."""
    (out / FILE).write_text(json.dumps([asdict(found) for found in entries.values()], indent=1), encoding="utf-8")
    (out / "zoo.md").write_text(_table(entries).in_markdown(), encoding="utf-8")


def _table(entries: dict[str, ZooEntry]) -> TextTable:
    table = TextTable("dof zoo", COLUMNS, text_columns=2)
    # In the order of the zoo; entries of problems that are no longer in it are left out.
    for found in (entries[name] for name in ZOO if name in entries):
        step = ["–" if seconds is None else f"{1e3 * seconds:.3g} ms" for seconds in (found.dof, found.hessian)]
        ratio = "–" if found.ratio is None else f"{found.ratio:.2f}×"
        error = "–" if found.error is None else f"{found.error:.1e}"
        size = [f"{found.seconds:.0f} s", f"{found.steps:,}", f"{found.parameters:,}"]
        table.rows.append([found.name, found.coordinates, error, *size, *step, ratio])
        for name, value in found.unknowns.items():
            table.notes.append(f"{found.name}: {name} = {numbers(value)} (true: {numbers(found.truth[name])})")
    return table

"""The sweeps over sizes: on the screen, and as JSON, Markdown and PNG in a folder."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from dof import machine_info
from dof.bench.results.write_results import print_files
from dof.bench.theory.theorem_counts import Sweep
from dof.bench.theory.theory_plot import plot_theory
from dof.text_table import TextTable, print_tables

COLUMNS = ["Hessian Gflop", "of theorem 1", "DOF: flops", "theorem", "DOF: memory", "theorem"]
"""Flops of the Hessian, also relative to theorem 1; flops and temporary memory of DOF relative to the Hessian's."""


def write_theory(sweeps: list[Sweep], out: Path, console: Console) -> None:
    """Print the tables of the sweeps, and write them to the folder `out`."""
    tables = [_theory_table(sweep) for sweep in sweeps]
    print_tables(tables, console)
    data = {"suite": "theory", "versions": machine_info.versions(), "sweeps": [asdict(sweep) for sweep in sweeps]}
    (out / "theory.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    (out / "theory.md").write_text("\n\n".join(table.in_markdown() for table in tables), encoding="utf-8")
    plot_theory(sweeps, out / "theory.png")
    print_files("theory", out, console, "flops and bytes are counts: they do not depend on the machine's speed")


def _theory_table(sweep: Sweep) -> TextTable:
    table = TextTable(f"how costs grow with: {sweep.title}", [sweep.title, *COLUMNS])
    for it in sweep.counts:
        flops, memory = it.dof_flops / it.hessian_flops, it.dof_bytes / it.hessian_bytes
        counted = [f"{it.hessian_flops / 1e9:.3g}", f"{it.hessian_flops / it.theory_flops:.3f}"]
        parts = [f"{flops:.3f}", f"{it.dof_bound:.3f}", f"{memory:.3f}", f"{it.theory_memory:.3f}"]
        table.rows.append([str(it.at), *counted, *parts])
    labels = {
        "hessian_flops": "flops of the Hessian",
        "dof_flops": "of DOF",
        "hessian_bytes": "memory",
        "dof_bytes": "of DOF",
    }
    table.notes = ["exponents: " + ", ".join(f"{label} {sweep.exponent(name):.2f}" for name, label in labels.items())]
    return table

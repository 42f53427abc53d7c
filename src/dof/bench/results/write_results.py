"""The results of a run: on the screen, and as JSON, Markdown and PNG in a folder."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from dof import system
from dof.bench.results.outcomes import Run, save
from dof.bench.results.paper_tables import paper_tables
from dof.bench.results.plots import plot_inputs, plot_methods, plot_paper, plot_theory
from dof.bench.results.statistics import median
from dof.bench.results.tables import NOTES, case_table, summary_table
from dof.bench.theory.theorem_counts import Sweep
from dof.text_table import TextTable, print_tables

THEORY = ["Hessian Gflop", "of theorem 1", "DOF: flops", "theorem", "DOF: memory", "theorem"]
"""Flops of the Hessian, and relative to N (|R| + 2 |E|) + ½ |T|; what DOF takes of its flops and temporary memory."""


def write_run(run: Run, out: Path, console: Console) -> None:
    rate = median(run.rates) if run.rates else 0.0
    details = [case_table(result, rate) for result in run.cases]
    heads = paper_tables(run) if run.suite == "paper" else [summary_table(run)]
    print_tables([*details, *heads] if run.suite != "paper" else heads, console)
    save(run, out / f"{run.suite}.json")
    text = [_machine(run, rate), *(table.in_markdown() for table in [*heads, *details]), "\n".join(NOTES), ""]
    (out / f"{run.suite}.md").write_text("\n\n".join(text))
    (plot_paper if run.suite == "paper" else plot_methods)(run, out / f"{run.suite}.png")
    if sum(result.case.startswith("inputs-") for result in run.cases) > 1:
        plot_inputs(run, out / "inputs.png")
    _say_where(run.suite, out, console, _machine(run, rate))


def _machine(run: Run, rate: float) -> str:
    it, versions = run.machine, ", ".join(f"{name} {version}" for name, version in run.versions.items())
    memory = f"{it['memory_bytes'] / 2**30:.0f} GiB"
    hardware = f"{it['processor']}, {it['cores']} cores, {memory}, device {it['device']}"
    return f"{hardware}; matrix products at {rate / 1e9:.0f} Gflop/s; {versions}"


def write_theory(sweeps: list[Sweep], out: Path, console: Console) -> None:
    tables = [_theory_table(sweep) for sweep in sweeps]
    print_tables(tables, console)
    data = {"suite": "theory", "versions": system.versions(), "sweeps": [asdict(sweep) for sweep in sweeps]}
    (out / "theory.json").write_text(json.dumps(data, indent=1))
    (out / "theory.md").write_text("\n\n".join(table.in_markdown() for table in tables))
    plot_theory(sweeps, out / "theory.png")
    _say_where("theory", out, console, "flops and bytes are counts: they do not depend on the machine's speed")


def _theory_table(sweep: Sweep) -> TextTable:
    table = TextTable(f"how costs grow with: {sweep.title}", [sweep.title, *THEORY])
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


def _say_where(name: str, out: Path, console: Console, note: str) -> None:
    console.print(note, highlight=False, soft_wrap=True)
    files = ", ".join(str(out / f"{name}.{ending}") for ending in ("json", "md", "png"))
    console.print(f"written: {files}", highlight=False, soft_wrap=True)

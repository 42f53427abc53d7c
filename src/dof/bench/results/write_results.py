"""The results of a run: on the screen, and as JSON, Markdown and PNG in a folder."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from dof.bench.results.outcomes import SuiteRun, save
from dof.bench.results.paper_tables import paper_tables
from dof.bench.results.plots import plot_inputs, plot_methods, plot_paper
from dof.bench.results.statistics import median
from dof.bench.results.tables import NOTES, summary_table, table_of_case
from dof.bench.results.wave_tables import wave_table
from dof.text_table import TextTable, print_tables


def write_run(run: SuiteRun, out: Path, console: Console) -> None:
    """Print the tables of a run, and write it to the folder `out`."""
    rate = median(run.rates) if run.rates else 0.0
    details = [table_of_case(result, rate) for result in run.cases]
    heads = _heads(run)
    print_tables([*details, *heads] if run.suite != "paper" else heads, console)
    save(run, out / f"{run.suite}.json")
    text = [_machine(run, rate), *(table.in_markdown() for table in [*heads, *details]), "\n".join(NOTES), ""]
    (out / f"{run.suite}.md").write_text("\n\n".join(text), encoding="utf-8")
    (plot_paper if run.suite == "paper" else plot_methods)(run, out / f"{run.suite}.png")
    if sum(result.case.startswith("inputs-") for result in run.cases) > 1:
        plot_inputs(run, out / "inputs.png")
    print_files(run.suite, out, console, _machine(run, rate))


def _heads(run: SuiteRun) -> list[TextTable]:
    """The tables that say what was found, without the figures of each method."""
    if run.suite == "paper":
        return paper_tables(run)
    return [wave_table(run) if run.suite == "waves" else summary_table(run)]


def _machine(run: SuiteRun, rate: float) -> str:
    it, versions = run.machine, ", ".join(f"{name} {version}" for name, version in run.versions.items())
    memory = f"{it['memory_bytes'] / 2**30:.0f} GiB"
    hardware = f"{it['processor']}, {it['cores']} cores, {memory}, device {it['device']}"
    return f"{hardware}; matrix products at {rate / 1e9:.0f} Gflop/s; {versions}"


def print_files(name: str, out: Path, console: Console, note: str) -> None:
    """Print a note, and which files were written."""
    console.print(note, highlight=False, soft_wrap=True)
    files = ", ".join(str(out / f"{name}.{ending}") for ending in ("json", "md", "png"))
    console.print(f"written: {files}", highlight=False, soft_wrap=True)

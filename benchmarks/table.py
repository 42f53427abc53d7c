"""Tables of what was measured: figures, and in brackets their ratios to a method of reference."""

from collections.abc import Collection
from typing import Any

from measure import Measured
from rich.console import Console
from rich.table import Table

FIGURES = {
    "Gflop": ("flops", 1e-9),
    "temporary MB": ("memory", 1e-6),
    "run ms": ("running", 1e3),
    "trace ms": ("tracing", 1e3),
    "compile ms": ("compiling", 1e3),
}


def comparison_table(title: str, case: str, reference: str) -> Table:
    title = f"{title}; in brackets the ratio to {reference}"
    return Table(case, "method", "deviation", *FIGURES, title=title, title_justify="left")


def add_rows(table: Table, case: str, measured: dict, reference: str, estimates: Collection[str] = ()) -> None:
    """A section of the table. What is random by intent deviates without an error, and says so."""
    for name, it in measured.items():
        note = " spread of estimate" if name in estimates else ""
        table.add_row(case, name, *_cells(it, measured[reference], note))
        case = ""
    table.add_section()


def _cells(it: Measured | str, reference: Measured | str, note: str) -> list[str]:
    if isinstance(it, str):
        return [it, *["–"] * len(FIGURES)]
    figures = [f"{scale * getattr(it, key):.4g}{_ratio(it, reference, key)}" for key, scale in FIGURES.values()]
    return [f"{it.deviation:.1e}{note}", *figures]


def _ratio(it: Measured, reference: Any, key: str) -> str:
    known = isinstance(reference, Measured) and getattr(reference, key)
    return f" ({getattr(it, key) / known:.3f})" if known else ""


def show(table: Table) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = 160  # a file has no width of its own, and 80 columns would cut the figures
    console.print(table)

"""A table of text cells that prints to a terminal and to Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

# A file or a pipe has no width of its own; the widest table of `dof bench` needs about 140 columns.
WIDTH_WITHOUT_TERMINAL = 150


@dataclass
class TextTable:
    """A title, column headings, rows of cells and notes below.

    The first `text_columns` columns are aligned to the left, the others, which hold numbers, to the right.
    """

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    text_columns: int = 1

    def on_screen(self) -> Table:
        """The table for `rich`."""
        table = Table(
            title=self.title,
            title_justify="left",
            caption="\n".join(self.notes),
            caption_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
        )
        for index, column in enumerate(self.columns):
            table.add_column(column, justify="left" if index < self.text_columns else "right", no_wrap=index == 0)
        for row in self.rows:
            table.add_row(*row)
        return table

    def in_markdown(self) -> str:
        """The table in Markdown, with its notes as a list."""
        head = [
            f"**{self.title}**",
            "",
            _line(self.columns),
            _line(["---" if k < self.text_columns else "---:" for k in range(len(self.columns))]),
        ]
        notes = ["", *(f"- {note}" for note in self.notes)] if self.notes else []
        return "\n".join([*head, *map(_line, self.rows), *notes, ""])


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def print_tables(tables: Sequence[TextTable], console: Console) -> None:
    """Print each table, followed by an empty line."""
    if not console.is_terminal:
        console.width = WIDTH_WITHOUT_TERMINAL
    for table in tables:
        console.print(table.on_screen())
        console.print()

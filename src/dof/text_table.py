"""A table as plain text cells, for the screen and for Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.table import Table


@dataclass
class Grid:
    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    text_columns: int = 1
    """So many in front are text, on the left; the others are numbers."""

    def on_screen(self) -> Table:
        notes = "\n".join(self.notes)
        table = Table(
            title=self.title,
            title_justify="left",
            caption=notes,
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

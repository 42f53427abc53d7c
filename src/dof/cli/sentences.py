"""Sentences on the screen: wrapped between words, with commands and paths left whole."""

from __future__ import annotations

from rich.console import Console

from dof.runs.advice_as_options import as_options


def say(text: str, style: str, console: Console) -> None:
    """Print sentences, line by line, with settings as options of the command.

    On a terminal they are wrapped between words; what reads a pipe gets each line whole. So are lines that are set in,
    as of `Fix:`, which are there to be copied.

    Args:
        text: The lines.
        style: Their colour.
        console: Where they are printed.
    """
    for line in as_options(text).splitlines():
        stays_whole = line.startswith("  ") or not console.is_terminal
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=stays_whole)

"""How mistakes are told on the command line: in a sentence, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from dof.errors import ArgumentError, ArgumentTypeError, Diverged, NotEnoughMemoryError

DIVERGED, MISTAKE = 1, 2
"""Exit codes: of training that failed, and of mistakes in what was asked for."""


@contextmanager
def told_plainly(debug: bool = False) -> Iterator[None]:
    """Print errors that the user can do something about, and exit with a code; with `debug` they are raised."""
    try:
        yield
    except (ArgumentError, ArgumentTypeError, NotEnoughMemoryError, Diverged, OSError) as error:
        if debug:
            raise
        # Notes say what is kept after training has diverged; a traceback would print them, `str` does not.
        said = "\n".join([str(error), *getattr(error, "__notes__", ())])
        Console(stderr=True).print(said, style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(DIVERGED if isinstance(error, Diverged) else MISTAKE) from None

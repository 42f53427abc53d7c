"""How mistakes are told on the command line: in a sentence, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from dof.cli import INTERRUPTED
from dof.cli.interrupts import interrupts_raised
from dof.cli.sentences import say
from dof.errors import ArgumentError, ArgumentTypeError, Diverged, NotEnoughMemoryError
from dof.pde.notation.mistakes import kept_values_told
from dof.user_line import user_line

DIVERGED, MISTAKE = 1, 2
"""Exit codes: of training that failed, and of mistakes in what was asked for."""


@contextmanager
def told_plainly(debug: bool = False) -> Iterator[None]:
    """Print errors that the user can do something about, and exit with a code; with `debug` they are raised.

    SIGTERM is taken as Ctrl-C: what was found is kept, and said where.
    """
    try:
        with interrupts_raised(), kept_values_told():
            yield
    except KeyboardInterrupt:
        _say("Interrupted before the first step; nothing is lost.")
        raise typer.Exit(INTERRUPTED) from None
    except SystemExit as error:
        # The user's: typer ends commands by an exception of its own.
        if debug:
            raise
        _say(f"Ended by sys.exit in the problem's file.{user_line(error)}")
        raise typer.Exit(MISTAKE) from None
    except (ArgumentError, ArgumentTypeError, NotEnoughMemoryError, Diverged, OSError) as error:
        if debug:
            raise
        # Notes say what is kept after training has diverged; a traceback would print them, `str` does not.
        _say("\n".join([_sentence(error), *filter(_is_of_dof, getattr(error, "__notes__", ()))]))
        raise typer.Exit(DIVERGED if isinstance(error, Diverged) else MISTAKE) from None
    except Exception as error:
        # What comes from no line of the user's is a fault of dof, whose traceback is wanted. Ends of commands are
        # exceptions too.
        is_of_memory = isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in str(error)
        if debug or isinstance(error, typer.Exit) or not (is_of_memory or user_line(error)):
            raise
        called, fix = type(error).__name__, "\n  Fix: fewer --points, or a smaller --width"
        _say(
            f"{'There is not enough memory' if is_of_memory else called}: {error}{user_line(error)}{fix * is_of_memory}"
        )
        raise typer.Exit(MISTAKE) from None


def _is_of_dof(note: str) -> bool:
    """Whether a note is no one of JAX, which adds that its traceback is shortened where none is printed."""
    return "JAX_TRACEBACK_FILTERING" not in note


def _sentence(error: BaseException) -> str:
    """What an error says; of one that `told_where` made, without the number of the system's error."""
    return error.strerror if isinstance(error, OSError) and error.strerror and not error.filename else str(error)


def _say(text: str) -> None:
    say(text, "red", Console(stderr=True))

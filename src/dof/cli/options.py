"""Options that several commands share, and how a mistake in them is told: one sentence, exit code 2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

import typer
from rich.console import Console

from dof.errors import ArgumentError, ArgumentTypeError, Diverged, NotEnoughMemoryError

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


@contextmanager
def told_plainly(debug: bool = False) -> Iterator[None]:
    """Errors in what the user has asked for: exit code 2; training that failed: 1. Both without a traceback."""
    try:
        yield
    except (ArgumentError, ArgumentTypeError, NotEnoughMemoryError, Diverged, OSError) as error:
        if debug:
            raise
        said = "\n".join([str(error), *getattr(error, "__notes__", ())])
        Console(stderr=True).print(said, style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1 if isinstance(error, Diverged) else 2) from None


def seconds(text: str) -> float:
    """90, 90s, 2m, 1h, 1.5h"""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(f"{text!r} is not a time; write it as 90s, 2m or 1h")
    return float(found[1]) * UNITS[found[2]]


def folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def free_folder(path: Path) -> Path:
    """The path, or the first of path-2, path-3, … that is not there."""
    numbers = (path.with_name(f"{path.name}-{n}") for n in count(2))
    return next(candidate for candidate in chain([path], numbers) if not candidate.exists())

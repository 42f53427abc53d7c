"""Values of options that several commands share: times, patterns of names and folders."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatch
from itertools import chain, count
from pathlib import Path

import typer

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


def seconds(text: str) -> float:
    """The seconds in a text as 90, 90s, 2m, 1h or 1.5h."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(f"{text!r} is not a time; write it as 90s, 2m or 1h")
    return float(found[1]) * UNITS[found[2]]


def matching(names: Iterable[str], pattern: str, kind: str = "case") -> tuple[str, ...]:
    """The names that match a pattern as 'heat*'; `kind` says what they are names of."""
    chosen = tuple(name for name in names if fnmatch(name, pattern))
    if not chosen:
        raise typer.BadParameter(f"no {kind} is called {pattern!r}; there are {', '.join(names)}")
    return chosen


def folder(path: Path) -> Path:
    """The path, made into a folder if it is none."""
    path.mkdir(parents=True, exist_ok=True)
    return path


def free_folder(path: Path) -> Path:
    """The path, or the first of path-2, path-3, … that is not there."""
    # A run that is there is never written over.
    numbers = (path.with_name(f"{path.name}-{n}") for n in count(2))
    return next(candidate for candidate in chain([path], numbers) if not candidate.exists())

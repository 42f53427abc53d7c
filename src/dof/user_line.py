"""Which line of the user's an error comes from."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb

PACKAGE = Path(__file__).resolve().parent
LIBRARIES = tuple(
    {
        f"{folder}{os.sep}"
        for folder in (PACKAGE, *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")))
    }
)
"""Folders of dof, of Python and of installed packages: lines in them are not the user's, those in `dof-runs` are."""


def user_frame(error: BaseException) -> FrameSummary | None:
    """Where the user's code was, innermost, when an error was raised; None if that is not known."""
    frames = reversed(extract_tb(error.__traceback__))
    # "<frozen importlib>" and other code that is in no file has no line.
    return next((frame for frame in frames if frame.line and not frame.filename.startswith(LIBRARIES)), None)


def user_line(error: BaseException) -> str:
    """The innermost line of the user's that led to an error, with file and number; "" if there is none."""
    frame = user_frame(error)
    return f"\n  {frame.filename}, line {frame.lineno}: {frame.line}" if frame else ""

"""Which line of the user's an error comes from."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = tuple(
    {str(PACKAGE), *(sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))}
)
"""Folders of dof, of Python and of installed packages: lines in them are not the user's."""


def user_line(error: BaseException) -> str:
    """The innermost line of the user's that led to an error, with file and number; "" if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        # "<frozen importlib>" and other code that is in no file.
        if not frame.filename.startswith("<") and not frame.filename.startswith(LIBRARIES):
            return f"\n  {frame.filename}, line {frame.lineno}: {frame.line}"
    return ""

"""Which line of the user's an error comes from."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from pathlib import Path
from traceback import FrameSummary, extract_tb

PACKAGE = Path(__file__).resolve().parent
PATHS = {sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")}
LIBRARIES = {str(PACKAGE), *PATHS, site.getusersitepackages()}
"""Folders of dof, of Python and of installed packages: lines in them are not the user's."""
FRAMEWORKS = ("jax", "torch", "numpy")
"""Packages that may be in other folders, by `pip install --target` or PYTHONPATH."""


def _libraries() -> tuple[str, ...]:
    files = [module.__file__ for name in FRAMEWORKS if (module := sys.modules.get(name)) is not None]
    return tuple(folder + os.sep for folder in LIBRARIES | {str(Path(file).parent) for file in files if file})


def user_frame(error: BaseException) -> FrameSummary | None:
    """Where the user's code was, innermost, when an error was raised; None if that is not known."""
    frames, libraries = reversed(extract_tb(error.__traceback__)), _libraries()
    # "<frozen importlib>" and other code that is in no file has no line.
    return next((frame for frame in frames if frame.line and not frame.filename.startswith(libraries)), None)


def user_line(error: BaseException) -> str:
    """The innermost line of the user's that led to an error, with file and number; "" if there is none."""
    frame = user_frame(error)
    return f"\n  {frame.filename}, line {frame.lineno}: {frame.line}" if frame else ""

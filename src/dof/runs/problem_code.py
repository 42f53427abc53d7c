"""The code of a user's file: read once, so that what is run, what is marked and what is kept are the same bytes."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from dof.errors import ArgumentError, DofError
from dof.user_line import user_line

EXAMPLE = "problem = pde.Problem(residual, domain, conditions)"


class ProblemCode(NamedTuple):
    """What a file had in it when it was read.

    Attributes:
        path: The file.
        data: Its bytes.
    """

    path: Path
    data: bytes

    @property
    def fingerprint(self) -> str:
        """The digest by which a run knows whether a file has changed."""
        return hashlib.sha256(self.data).hexdigest()


def code_in(path: Path | None) -> ProblemCode | None:
    """What a file has in it now; None for none, or no file there."""
    return ProblemCode(path, path.read_bytes()) if path and path.is_file() else None


def module_of(code: ProblemCode, path: Path) -> ModuleType:
    """Code as the module of a file, which is its own or the one it was kept of; it can import the file's neighbours.

    It is in `sys.modules` as long as the process runs, since dataclasses and others look up the module of a class
    there; under a name of its own, so that no file hides a module of the same name.
    """
    name, folder = f"dof_problem_file_{path.stem}", str(path.parent.resolve())
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    before, module = sys.modules.get(name), importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, folder)
    try:
        # Lines are named as those of the file that is run; `__file__` is the path that data stand beside. Not with the
        # `from __future__` of this file, which would make text of the user's annotations.
        exec(compile(code.data, code.path, "exec", dont_inherit=True), vars(module))
    # KeyboardInterrupt too must not leave a module that is half run, but it goes on as it is.
    except BaseException as error:
        _restore(name, before)
        if not isinstance(error, (Exception, SystemExit)):
            raise
        raise ArgumentError(f"{str(code.path)!r} cannot be run: {_called(error)}{user_line(error)}") from error
    finally:
        # The file may have changed the path itself. It is removed, so that a neighbour hides no module imported later.
        if folder in sys.path:
            sys.path.remove(folder)
    return module


def _called(error: BaseException) -> str:
    """What an error of the file says; those of dof and of `u.xz` say what to do."""
    if isinstance(error, SystemExit):
        return (
            'it calls sys.exit, and nothing after it is run.\n  Fix: without it, or if __name__ == "__main__": above it'
        )
    return str(error) if isinstance(error, DofError) else f"{type(error).__name__}: {error}"


def _restore(name: str, before: ModuleType | None) -> None:
    """What `sys.modules` had under a name, after a file failed to load."""
    del sys.modules[name]
    if before is not None:
        sys.modules[name] = before

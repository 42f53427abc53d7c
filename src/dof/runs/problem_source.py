"""Which problem is meant: a name of the zoo, or a file of the user's that has one."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from dof.errors import ArgumentError, describe
from dof.pde import Problem
from dof.runs.user_line import user_line
from dof.zoo import problem_named, title_of

EXAMPLE = "problem = pde.Problem(residual, domain, conditions)"


def load_problem(source: str) -> Problem:
    """The problem that a name of the zoo, or the path of a Python file, stands for.

    Raises:
        ArgumentError: If there is no such name or file, or the file fails or has no problem.
    """
    return _in_file(Path(source)) if is_file(source) else problem_named(source)


def is_file(source: str) -> bool:
    """Whether a source is a file rather than a name of the zoo."""
    return source.endswith(".py")


def whole_name(source: str) -> str:
    """A source that means the same from any folder: of a file its whole path."""
    return str(Path(source).resolve()) if is_file(source) else source


def title(source: str) -> str:
    """What the problem is, in a line; of a file, its name."""
    return Path(source).name if is_file(source) else title_of(source)


def fingerprint(source: str) -> str:
    """The digest of a file as it is now, so that a run does not go on with another problem; "" for the zoo."""
    return hashlib.sha256(Path(source).read_bytes()).hexdigest() if is_file(source) else ""


def _in_file(path: Path) -> Problem:
    """The variable `problem` of a file, or what this function returns; or the only problem the file has."""
    if not path.is_file():
        raise ArgumentError(describe("problem", f"is {str(path)!r}, which is no file", "a file.py", "dof problems"))
    module = _imported(path)
    named = getattr(module, "problem", None)
    # A function is called now and not when the file is run: the file can be imported without making a problem.
    if callable(named) and not isinstance(named, Problem):
        named = named()
    found = [named] if isinstance(named, Problem) else [v for v in vars(module).values() if isinstance(v, Problem)]
    if len(found) != 1:
        said = f"{str(path)!r} has {len(found)} problems" if found else f"{str(path)!r} has no problem"
        raise ArgumentError(describe("problem", said, "one that is called `problem`", EXAMPLE))
    return found[0]


def _imported(path: Path) -> ModuleType:
    """The file as a module that can import its neighbours.

    It is in `sys.modules` as long as the process runs, since dataclasses and others look up the module of a class
    there; under a name of its own, so that no file hides a module of the same name.
    """
    name, folder = f"dof_problem_file_{path.stem}", str(path.parent.resolve())
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    before, module = sys.modules.get(name), importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    # KeyboardInterrupt too must not leave a module that is half run, but it goes on as it is.
    except BaseException as error:
        _restore(name, before)
        if not isinstance(error, (Exception, SystemExit)):
            raise
        called = "it calls sys.exit" if isinstance(error, SystemExit) else f"{type(error).__name__}: {error}"
        said = f"{str(path)!r} cannot be run: {called}{user_line(error)}"
        raise ArgumentError(describe("problem", said, "Python that defines a problem", EXAMPLE)) from error
    finally:
        # The file may have changed the path itself. It is removed, so that a neighbour hides no module imported later.
        if folder in sys.path:
            sys.path.remove(folder)
    return module


def _restore(name: str, before: ModuleType | None) -> None:
    """What `sys.modules` had under a name, after a file failed to load."""
    del sys.modules[name]
    if before is not None:
        sys.modules[name] = before

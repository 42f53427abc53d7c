"""Which problem is meant: a name of the zoo, or a file of the user's that has one."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import Any

from dof.errors import ArgumentError, describe
from dof.pde import Problem
from dof.runs.user_line import user_line
from dof.zoo import problem_named, title_of

EXAMPLE = "problem = pde.Problem(residual, domain, conditions)"


def load_problem(source: str, kept: Path | None = None) -> Problem:
    """The problem that a name of the zoo, the path of a Python file, or file.py:name stands for.

    Args:
        source: The name or the file.
        kept: A copy of the file that is run in its place, as if it were there.

    Raises:
        ArgumentError: If there is no such name or file, or the file fails or has no such problem.
    """
    path, name = file_and_name(source)
    return problem_named(source) if path is None else _in_file(path, name, kept or path)


def file_and_name(source: str) -> tuple[Path | None, str]:
    """The file of a source and the name in it, "" for none; no file for a name of the zoo."""
    head, colon, name = source.rpartition(".py:")
    if colon and name.isidentifier():
        return Path(f"{head}.py"), name
    return (Path(source), "") if source.endswith(".py") else (None, "")


def whole_name(source: str) -> str:
    """A source that means the same from any folder: of a file its whole path."""
    path, name = file_and_name(source)
    return source if path is None else ":".join(filter(None, [str(path.resolve()), name]))


def title(source: str) -> str:
    """What the problem is, in a line; of a file, its name."""
    path, name = file_and_name(source)
    return title_of(source) if path is None else ":".join(filter(None, [path.name, name]))


def short_name(source: str) -> str:
    """What a folder of the source's runs is called: no dots, slashes or colons."""
    path, name = file_and_name(source)
    return source if path is None else "-".join(filter(None, [path.stem, name]))


def fingerprint(path: Path | None) -> str:
    """The digest of a file as it is now, by which a run knows whether it has changed; "" for none, or no file there."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path and path.is_file() else ""


def _in_file(path: Path, name: str, kept: Path) -> Problem:
    """What a file has under a name, a problem or a function that returns it; without one `problem`, or the only one."""
    if not kept.is_file():
        raise ArgumentError(describe("problem", f"is {str(path)!r}, which is no file", "a file.py", "dof problems"))
    module = _imported(path, kept)
    # A function is called now and not when the file is run: the file can be imported without making a problem.
    named = _made(getattr(module, name or "problem", None))
    there = [key for key, value in vars(module).items() if isinstance(value, Problem)]
    found = [named] if named is not None or name else [getattr(module, key) for key in there]
    if len(found) == 1 and found[0] is not None:
        return found[0]
    raise ArgumentError(_which(path, name, there))


def _made(named: Any) -> Problem | None:
    """A problem as it is, or what a function returns; None for what is none."""
    found = named() if callable(named) and not isinstance(named, (Problem, type)) else named
    return found if isinstance(found, Problem) else None


def _which(path: Path, name: str, there: list[str]) -> str:
    """The sentence about a file that does not have the one problem that is asked for."""
    count = "one problem" if len(there) == 1 else f"{len(there)} problems"
    has = ", ".join([count, *there]) + (f", and none called {name!r}" if name else "")
    said = f"{str(path)!r} has {has if there else 'no problem'}"
    fix = f"dof solve {quote(f'{path}:{there[0]}')}" if there else EXAMPLE
    return describe("problem", said, "one that is called `problem`, or file.py:name for another", fix)


def _imported(path: Path, kept: Path) -> ModuleType:
    """The file, or what was kept of it, as a module that can import the file's neighbours.

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
        # Lines are named as those of the file that is run; `__file__` is the path that data stand beside.
        exec(compile(kept.read_bytes(), kept, "exec"), vars(module))
    # KeyboardInterrupt too must not leave a module that is half run, but it goes on as it is.
    except BaseException as error:
        _restore(name, before)
        if not isinstance(error, (Exception, SystemExit)):
            raise
        called = "it calls sys.exit" if isinstance(error, SystemExit) else f"{type(error).__name__}: {error}"
        said = f"{str(kept)!r} cannot be run: {called}{user_line(error)}"
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

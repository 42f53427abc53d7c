"""Which problem is meant: a name of the zoo, or a file of the user's that has one."""

from __future__ import annotations

import inspect
from pathlib import Path
from shlex import quote
from typing import Any

from dof.errors import ArgumentError, describe
from dof.pde import Problem
from dof.runs.problem_code import EXAMPLE, ProblemCode, code_in, module_of
from dof.zoo import problem_named, title_of


def load_problem(source: str, code: ProblemCode | None = None) -> Problem:
    """The problem that a name of the zoo, the path of a Python file, or file.py:name stands for.

    Args:
        source: The name or the file.
        code: What is run as the file's, if it was read before or is that of a copy; by default what the file has now.

    Raises:
        ArgumentError: If there is no such name or file, or the file fails or has no such problem.
    """
    path, name = file_and_name(source)
    return problem_named(source) if path is None else _in_file(path, name, code or code_in(path))


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
    path, _ = file_and_name(source)
    return title_of(source) if path is None else shown_name(source)


def shown_name(source: str) -> str:
    """What a problem is called on the screen: its name in the zoo, or that of its file, without the folders."""
    path, name = file_and_name(source)
    return source if path is None else ":".join(filter(None, [path.name, name]))


def short_name(source: str) -> str:
    """What a folder of the source's runs is called: no dots, slashes or colons."""
    path, name = file_and_name(source)
    return source if path is None else "-".join(filter(None, [path.stem, name]))


def _in_file(path: Path, name: str, code: ProblemCode | None) -> Problem:
    """What a file has under a name, a problem or a function that returns it; without one `problem`, or the only one."""
    if code is None:
        raise ArgumentError(describe("problem", f"is {str(path)!r}, which is no file", "a file.py", "dof problems"))
    module = module_of(code, path)
    # A function is called now and not when the file is run: the file can be imported without making a problem.
    named = _made(getattr(module, name or "problem", None))
    there = [key for key, value in vars(module).items() if isinstance(value, Problem)]
    found = [named] if named is not None or name else [getattr(module, key) for key in there]
    if len(found) == 1 and found[0] is not None:
        return found[0]
    raise ArgumentError(_which(path, name, there))


def _made(named: Any) -> Problem | None:
    """A problem as it is, or what a function returns; None for what is none."""
    found = named() if _is_of_no_arguments(named) else named
    return found if isinstance(found, Problem) else None


def _is_of_no_arguments(named: Any) -> bool:
    """Whether something is a function that can be called as it is; classes and residuals are none."""
    if not callable(named) or isinstance(named, (Problem, type)):
        return False
    try:
        inspect.signature(named).bind()
    except (TypeError, ValueError):
        return False
    return True


def _which(path: Path, name: str, there: list[str]) -> str:
    """The sentence about a file that does not have the one problem that is asked for."""
    count = "one problem" if len(there) == 1 else f"{len(there)} problems"
    has = ", ".join([count, *there]) + (f", and none called {name!r}" if name else "")
    said = f"{str(path)!r} has {has if there else 'no problem'}"
    fix = f"dof solve {quote(f'{path}:{there[0]}')}" if there else EXAMPLE
    return describe("problem", said, "one that is called `problem`, or file.py:name for another", fix)

"""Which problem is meant: a name of the zoo, or a file of the user's that has one."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from typing import Any

from dof.errors import ArgumentError, describe
from dof.pde import Problem
from dof.zoo import problem_named, title_of

EXAMPLE = "problem = pde.Problem(residual, domain, conditions)"


def load_problem(source: str) -> Problem:
    return _in_file(Path(source)) if is_file(source) else problem_named(source)


def is_file(source: str) -> bool:
    return source.endswith(".py")


def title(source: str) -> str:
    return Path(source).name if is_file(source) else title_of(source)


def fingerprint(source: str) -> str:
    """Of a file as it is now, so that a run does not go on with another problem; of the zoo's, nothing."""
    return hashlib.sha256(Path(source).read_bytes()).hexdigest() if is_file(source) else ""


def _in_file(path: Path) -> Problem:
    if not path.is_file():
        raise ArgumentError(describe("problem", f"is {str(path)!r}, which is no file", "a file.py", "dof problems"))
    module = _imported(path)
    named = getattr(module, "problem", None)
    if callable(named) and not isinstance(named, Problem):
        named = named()
    found = [named] if isinstance(named, Problem) else [v for v in vars(module).values() if isinstance(v, Problem)]
    if len(found) != 1:
        said = f"{str(path)!r} has {len(found)} problems" if found else f"{str(path)!r} has no problem"
        raise ArgumentError(describe("problem", said, "one that is called `problem`", EXAMPLE))
    return found[0]


def _imported(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        said = f"{str(path)!r} cannot be run: {type(error).__name__}: {error}"
        raise ArgumentError(describe("problem", said, "Python that defines a problem", EXAMPLE)) from error
    finally:
        sys.path.pop(0)
    return module

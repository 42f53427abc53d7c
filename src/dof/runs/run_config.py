"""What a run began with: config.toml, and of a problem in a file also problem.py, the file as it was then.

A run goes on, and its solution is loaded, as it began, also when the file has changed or is gone. Modules and data
beside the file that it reads are not kept, nor is it known whether they have changed.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import dof
from dof.errors import ArgumentError, DofError, describe
from dof.pde import Problem
from dof.runs.atomic_write import told_where, write_whole
from dof.runs.problem_code import ProblemCode, code_in
from dof.runs.problem_source import file_and_name, load_problem, whole_name
from dof.solving import Settings

CONFIG, KEPT = "config.toml", "problem.py"
"""The names of the two files in the folder of a run."""


class RunConfig(NamedTuple):
    """What a run began with.

    Attributes:
        source: The problem, as it was named.
        settings: All of them.
        code: Of the problem's file, or of the copy in the run's folder where the file is another one now; None for the
            zoo.
    """

    source: str
    settings: dict[str, Any]
    code: ProblemCode | None

    def problem(self) -> Problem:
        """What is solved; a file is run for it."""
        return load_problem(self.source, self.code)

    @property
    def change(self) -> str:
        """A sentence about a file that is not what it was when the run began; "" if it is."""
        own, name = file_and_name(self.source)
        if own is None or self.code is None or self.code.path == own:
            return ""
        kept = self.code.path
        again, which = (self.source, "is") if own.is_file() else (":".join(filter(None, [str(kept), name])), "was")
        return (
            f"{_what_became_of(own)}: what counts is the file as it was, {str(kept)!r}.\n"
            f"  Fix: dof solve {quote(again)}, for a new run of the file as it {which}"
        )


def write_config(folder: Path, source: str, code: ProblemCode | None, settings: Settings) -> None:
    """Write the configuration of a new run, into a folder that may not be there yet.

    Args:
        folder: Of the run.
        source: The problem, as it was named.
        code: Of its file, as the problem was made by it; None for the zoo.
        settings: All of them.

    Raises:
        ArgumentError: If there is a run in the folder already, or a file where the copy of the problem's would be.
    """
    _require_room(folder, code)
    with told_where(folder / CONFIG):
        folder.mkdir(parents=True, exist_ok=True)
    # All settings are written, not only changed ones: a run goes on as it began when a recipe is changed later.
    # The whole path: the run may go on from another folder.
    head = {"problem": whole_name(source), "fingerprint": code.fingerprint if code else "", "dof": dof.__version__}
    head |= {"settings_digest": _settings_digest(source, settings.as_dict())}
    lines = [*map(_line, head.items()), "", "[settings]", *map(_line, settings.as_dict().items()), ""]
    if code is not None:
        write_whole(folder / KEPT, code.data)
    write_whole(folder / CONFIG, "\n".join(lines).encode())


def _require_room(folder: Path, code: ProblemCode | None) -> None:
    """Refuse a folder with a run, or with a file of the user's where the copy would be.

    A copy without a configuration is of a process that was killed between the two, or as good as it.
    """
    another = "--out with another folder"
    if (folder / CONFIG).exists():
        found, fix = f"{str(folder)!r} has a run already", f"dof solve --resume {quote(str(folder))}, or {another}"
        raise ArgumentError(describe("out", found, "a folder without one", fix))
    if code is not None and (folder / KEPT).exists() and not _is_copy(folder / KEPT, code):
        found = f"{str(folder)!r} has a file {KEPT} already, where the run would keep a copy of {str(code.path)!r}"
        raise ArgumentError(describe("out", found, "a folder without one", another))


def _is_copy(kept: Path, code: ProblemCode) -> bool:
    """Whether a file has the code in it, and is not the one that it was read from, which the user goes on editing."""
    return kept.resolve() != code.path.resolve() and kept.is_file() and kept.read_bytes() == code.data


def read_config(folder: Path) -> RunConfig:
    """What a run that was begun in a folder began with.

    Raises:
        ArgumentError: If there is none, it cannot be read, or neither the file nor its copy is as it was.
    """
    config = folder / CONFIG
    if not config.is_file():
        found = f"{str(folder)!r} has no {CONFIG}"
        raise ArgumentError(describe("resume", found, "the folder of a run", "dof solve heat --out my-run"))
    try:
        data = _table(config)
        source, settings, mark = data["problem"], dict(data["settings"]), data["fingerprint"]
        file, _ = file_and_name(source)
    # AttributeError: a problem that is no text.
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        found = f"{str(config)!r} cannot be read: {type(error).__name__}: {error}"
        raise ArgumentError(describe("resume", found, "the file that dof wrote", "dof solve heat")) from None
    _require_settings(settings, config, data.get("dof"))
    _require_same_settings(data, config)
    return RunConfig(source, settings, None if file is None else _code_with(mark, file, folder / KEPT))


def begun_by(folder: Path) -> str:
    """The version of dof that a run was begun by; "" where it is not known."""
    try:
        return str(_table(folder / CONFIG).get("dof", ""))
    # The folder may be on a disk that this process does not see.
    except (OSError, ValueError):
        return ""


def _table(config: Path) -> dict[str, Any]:
    """What is in a configuration; text that is none is a ValueError."""
    return tomllib.loads(config.read_text(encoding="utf-8"))


def _code_with(mark: str, file: Path, kept: Path) -> ProblemCode:
    """What the problem's file has in it, or the copy of it, whichever is as it was when the run began."""
    for code in map(code_in, (file, kept)):
        if code is not None and code.fingerprint == mark:
            return code
    copy = f"{str(kept)!r}, the copy of it, {'has changed too' if kept.is_file() else 'is not there'}"
    found, fix = f"{_what_became_of(file)}, and {copy}", f"dof solve {quote(str(file))} for a new run"
    expected = "the file that the run began with"
    raise ArgumentError(describe("resume", found, expected, f"put one of them back, or {fix}"))


def _what_became_of(file: Path) -> str:
    return f"{str(file)!r} {'has changed' if file.is_file() else 'is gone'} since the run began"


def _require_settings(settings: dict[str, Any], config: Path, version: Any) -> None:
    """Refuse settings that were edited to what none can be, or left out, with the file that has them."""
    said, known = "", Settings().as_dict()
    try:
        Settings().changed(settings)
    except DofError as error:
        said = str(error).split("; expected", 1)[0]
    # An older version may have had fewer, and what is new has its default.
    if version == dof.__version__ and (missing := [name for name in known if name not in settings]):
        said = said or f"`{missing[0]}` is not there"
    if said:
        found = f"{str(config)!r} has a setting that cannot be: {said}"
        raise ArgumentError(describe("resume", found, "the settings that dof wrote", "undo the change"))


def _require_same_settings(data: dict[str, Any], config: Path) -> None:
    """Refuse settings that were edited: weights with another `activation` are another function, without a word."""
    source, settings = data["problem"], data["settings"]
    # Runs of older versions do not have it.
    if data.get("settings_digest") not in (None, _settings_digest(source, settings)):
        found = f"{str(config)!r} has another problem or other settings than the run began with"
        fix = f"undo the change, or dof solve {quote(source)} with options for a new run"
        raise ArgumentError(describe("resume", found, "what dof wrote", fix))


def _settings_digest(source: str, settings: dict[str, Any]) -> str:
    """The digest of settings, and of the name of a problem that is in no file; a file may be moved and has its own."""
    own = source if file_and_name(source)[0] is None else ""
    return hashlib.sha256("\n".join([own, *map(_line, settings.items())]).encode()).hexdigest()


def _line(item: tuple[str, Any]) -> str:
    """A line of TOML, in which text, numbers and truth values are written as in JSON."""
    # Not in ASCII: JSON writes some characters as two escapes, which TOML refuses.
    return f"{item[0]} = {json.dumps(item[1], ensure_ascii=False)}"

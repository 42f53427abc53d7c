"""The files of a run: config.toml, metrics.jsonl, checkpoints/, weights.safetensors, summary.json, plots, a page.

Of a problem in a file there is also problem.py, the file as it was when the run began: a run goes on, and its solution
is loaded, as it began, also when the file has changed or is gone.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import dof
from dof.errors import ArgumentError, DofError, describe
from dof.pde import Problem
from dof.runs.atomic_write import append_line, told_where, write_whole
from dof.runs.problem_source import file_and_name, fingerprint, load_problem, whole_name
from dof.solving import Report, Settings
from dof.solving.devices import is_first_process


class RunConfig(NamedTuple):
    """What a run began with.

    Attributes:
        source: The problem, as it was named.
        settings: All of them.
        file: The file of the problem, or the copy in the run's folder where the file is another one now; None for the
            zoo.
    """

    source: str
    settings: dict[str, Any]
    file: Path | None

    @property
    def problem(self) -> Problem:
        """What is solved."""
        return load_problem(self.source, self.file)

    @property
    def change(self) -> str:
        """A sentence about a file that is not what it was when the run began; "" if it is."""
        own, _ = file_and_name(self.source)
        if self.file == own:
            return ""
        return (
            f"{str(own)!r} has changed since the run began: what counts is the file as it was, {str(self.file)!r}.\n"
            f"  Fix: dof solve {quote(self.source)}, for a new run of the file as it is"
        )


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self.config, self.metrics = path / "config.toml", path / "metrics.jsonl"
        self.kept = path / "problem.py"

    def begin(self, source: str, settings: Settings) -> None:
        """Write the configuration of a new run.

        Raises:
            ArgumentError: If there is a run in the folder already.
        """
        if self.config.exists():
            found = f"{str(self.path)!r} has a run already"
            fix = f"dof solve --resume {quote(str(self.path))}, or --out with another folder"
            raise ArgumentError(describe("out", found, "a folder without one", fix))
        with told_where(self.config):
            self.path.mkdir(parents=True, exist_ok=True)
        # All settings are written, not only changed ones: a run goes on as it began when a recipe is changed later.
        # The whole path: the run may go on from another folder.
        file, _ = file_and_name(source)
        head = {"problem": whole_name(source), "fingerprint": fingerprint(file), "dof": dof.__version__}
        lines = [*map(_line, head.items()), "", "[settings]", *map(_line, settings.as_dict().items()), ""]
        if file is not None:
            write_whole(self.kept, file.read_bytes())
        write_whole(self.config, "\n".join(lines).encode())

    def read(self) -> RunConfig:
        """What a run that was begun in this folder began with.

        Raises:
            ArgumentError: If there is none, it cannot be read, or neither the file nor its copy is as it was.
        """
        if not self.config.is_file():
            found = f"{str(self.path)!r} has no config.toml"
            raise ArgumentError(describe("resume", found, "the folder of a run", "dof solve heat --out my-run"))
        try:
            data = tomllib.loads(self.config.read_text(encoding="utf-8"))
            source, settings, mark = data["problem"], dict(data["settings"]), data["fingerprint"]
            file, _ = file_and_name(source)
        # AttributeError: a problem that is no text.
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
            found = f"{str(self.config)!r} cannot be read: {type(error).__name__}: {error}"
            raise ArgumentError(describe("resume", found, "the file that dof wrote", "dof solve heat")) from None
        self._require_settings(settings)
        return RunConfig(source, settings, self._file_with(mark, file))

    def _file_with(self, mark: str, file: Path | None) -> Path | None:
        """The problem's file, or the copy of it, whichever is as it was when the run began."""
        if file is None:
            return None
        for path in (file, self.kept):
            if fingerprint(path) == mark:
                return path
        found = f"{str(file)!r} {'has changed' if file.is_file() else 'is gone'} since the run began"
        kept = f"{str(self.kept)!r}, the copy of it, {'has changed too' if self.kept.is_file() else 'is not there'}"
        fix = f"put one of them back, or dof solve {quote(str(file))} for a new run"
        raise ArgumentError(describe("resume", f"{found}, and {kept}", "the file that the run began with", fix))

    def _require_settings(self, settings: dict[str, Any]) -> None:
        """Refuse settings that were edited to what none can be, with the file that has them."""
        try:
            Settings().changed(settings)
        except DofError as error:
            said = str(error).split("; expected", 1)[0]
            found = f"{str(self.config)!r} has a setting that cannot be: {said}"
            raise ArgumentError(describe("resume", found, "the settings that dof wrote", "undo the change")) from None

    def of_window(self, number: int) -> RunFolder:
        """The folder inside of this one for a window of time, from 1 on."""
        return RunFolder(self.path / f"window-{number}")

    def append(self, report: Report) -> None:
        """Add a report to the metrics."""
        append_line(self.metrics, json.dumps(asdict(report)))

    def reports(self, until: int) -> list[Report]:
        """The reports up to the step of a checkpoint; what was written after it, perhaps in part, is dropped.

        Raises:
            ArgumentError: If those before the checkpoint are missing.
        """
        kept = []
        for line in self.metrics.read_text(encoding="utf-8").splitlines() if self.metrics.exists() else []:
            try:
                report = Report(**json.loads(line))
            except (json.JSONDecodeError, TypeError):
                # A line that was written in part: nothing whole can come after it.
                break
            if report.step <= until:
                kept.append(report)
        if until and (not kept or kept[-1].step != until):
            found = f"{str(self.metrics)!r} has no report of step {until}, which the checkpoint is of"
            fix = f"put the file back, or rm -r {quote(str(self.checkpoints))} to begin anew"
            raise ArgumentError(describe("resume", found, "the reports of all steps before it", fix))
        # The file is cut to what is kept, or the steps that are taken again would be in it twice.
        if is_first_process():
            write_whole(self.metrics, "".join(json.dumps(asdict(report)) + "\n" for report in kept).encode())
        return kept

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the run, whole or not at all."""
        write_whole(self.path / name, content.encode() if isinstance(content, str) else content)


def _line(item: tuple[str, Any]) -> str:
    """A line of TOML, in which text, numbers and truth values are written as in JSON."""
    # Not in ASCII: JSON writes some characters as two escapes, which TOML refuses.
    return f"{item[0]} = {json.dumps(item[1], ensure_ascii=False)}"

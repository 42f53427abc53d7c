"""The files of a run: config.toml, metrics.jsonl, checkpoints/, weights.safetensors, summary.json, plots, a page."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any

import dof
from dof.errors import ArgumentError, DofError, describe
from dof.runs.atomic_write import append_line, told_where, write_whole
from dof.runs.problem_source import fingerprint, whole_name
from dof.solving import Report, Settings
from dof.solving.devices import is_first_process


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self.config, self.metrics = path / "config.toml", path / "metrics.jsonl"

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
        head = {"problem": whole_name(source), "fingerprint": fingerprint(source), "dof": dof.__version__}
        lines = [*map(_line, head.items()), "", "[settings]", *map(_line, settings.as_dict().items()), ""]
        write_whole(self.config, "\n".join(lines).encode())

    def read(self) -> tuple[str, dict[str, Any]]:
        """The problem, as it was named, and the settings of a run that was begun.

        Raises:
            ArgumentError: If there is none, it cannot be read, or the problem's file has changed since or is gone.
        """
        if not self.config.is_file():
            found = f"{str(self.path)!r} has no config.toml"
            raise ArgumentError(describe("resume", found, "the folder of a run", "dof solve heat --out my-run"))
        try:
            data = tomllib.loads(self.config.read_text(encoding="utf-8"))
            source, settings, mark = data["problem"], dict(data["settings"]), data["fingerprint"]
            has_changed = mark != fingerprint(source)
        except FileNotFoundError as error:
            found = f"is a run of {error.filename!r}, which is not there"
            raise ArgumentError(describe("resume", found, "the file that the run began with", "put it back")) from None
        # AttributeError: a problem that is no text.
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
            found = f"{str(self.config)!r} cannot be read: {type(error).__name__}: {error}"
            raise ArgumentError(describe("resume", found, "the file that dof wrote", "dof solve heat")) from None
        if has_changed:
            found = f"{source!r} has changed since the run began"
            raise ArgumentError(describe("resume", found, "the same file", f"dof solve {quote(source)}"))
        self._require_settings(settings)
        return source, settings

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

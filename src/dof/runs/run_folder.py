"""The files of a run: config.toml, metrics.jsonl, checkpoints/, weights.safetensors, summary.json, plots, a page."""

from __future__ import annotations

import json
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import dof
from dof.errors import ArgumentError, describe
from dof.runs.atomic_write import write_whole
from dof.runs.problem_source import fingerprint
from dof.solving import Report, Settings


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
            fix = f"dof solve --resume {self.path}, or --out with another folder"
            raise ArgumentError(describe("out", found, "a folder without one", fix))
        self.path.mkdir(parents=True, exist_ok=True)
        # All settings are written, not only changed ones: a run goes on as it began when a recipe is changed later.
        head = {"problem": source, "fingerprint": fingerprint(source), "dof": dof.__version__}
        lines = [*map(_line, head.items()), "", "[settings]", *map(_line, settings.as_dict().items()), ""]
        write_whole(self.config, "\n".join(lines).encode())

    def read(self) -> tuple[str, dict[str, Any]]:
        """The problem, as it was named, and the settings of a run that was begun.

        Raises:
            ArgumentError: If there is none, or the problem's file has changed since.
        """
        if not self.config.is_file():
            found = f"{str(self.path)!r} has no config.toml"
            raise ArgumentError(describe("resume", found, "the folder of a run", "dof solve heat --out my-run"))
        try:
            data = tomllib.loads(self.config.read_text(encoding="utf-8"))
            source, settings, mark = data["problem"], data["settings"], data["fingerprint"]
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
            found = f"{str(self.config)!r} cannot be read: {error}"
            raise ArgumentError(describe("resume", found, "the file that dof wrote", "dof solve heat")) from None
        if mark != fingerprint(source):
            found = f"{source!r} has changed since the run began"
            raise ArgumentError(describe("resume", found, "the same file", f"dof solve {source}"))
        return source, settings

    def append(self, report: Report) -> None:
        """Add a report to the metrics."""
        with self.metrics.open("a") as file:
            file.write(json.dumps(asdict(report)) + "\n")

    def reports(self, until: int) -> list[Report]:
        """The reports up to the step of a checkpoint; what was written after it, perhaps in part, is dropped."""
        kept = []
        for line in self.metrics.read_text(encoding="utf-8").splitlines() if self.metrics.exists() else []:
            try:
                report = Report(**json.loads(line))
            except (json.JSONDecodeError, TypeError):
                # A line that was written in part: nothing whole can come after it.
                break
            if report.step <= until:
                kept.append(report)
        # The file is cut to what is kept, or the steps that are taken again would be in it twice.
        write_whole(self.metrics, "".join(json.dumps(asdict(report)) + "\n" for report in kept).encode())
        return kept

    def write(self, name: str, content: str | bytes) -> None:
        """Write a file of the run, whole or not at all."""
        write_whole(self.path / name, content.encode() if isinstance(content, str) else content)


def _line(item: tuple[str, Any]) -> str:
    """A line of TOML, in which text, numbers and truth values are written as in JSON."""
    # Not in ASCII: JSON writes some characters as two escapes, which TOML refuses.
    return f"{item[0]} = {json.dumps(item[1], ensure_ascii=False)}"

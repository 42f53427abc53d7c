"""The folder of a run: config.toml, metrics.jsonl, checkpoints/, weights.safetensors, summary.json, plots, a page."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from shlex import quote

from dof.errors import ArgumentError, describe
from dof.runs.atomic_write import append_line, write_whole
from dof.solving import Report
from dof.solving.devices import is_first_process


class RunFolder:
    """The folder of one run, or of a window of time in it.

    Args:
        path: The folder.
        run: That of the whole run, which has the configuration; by default the folder itself.
    """

    def __init__(self, path: Path, run: Path | None = None) -> None:
        self.path, self.run = path, run or path
        self.checkpoints, self.metrics = path / "checkpoints", path / "metrics.jsonl"

    def of_window(self, number: int) -> RunFolder:
        """The folder inside of this one for a window of time, from 1 on."""
        return RunFolder(self.path / f"window-{number}", self.path)

    def append(self, report: Report) -> None:
        """Add a report to the metrics."""
        append_line(self.metrics, json.dumps(asdict(report)))

    def reports(self, until: int) -> list[Report]:
        """The reports up to the step of a checkpoint; what was written after it, perhaps in part, is dropped.

        Raises:
            ArgumentError: If those before the checkpoint are missing.
        """
        kept = []
        # Bytes that are no text are no report either.
        text = self.metrics.read_text(encoding="utf-8", errors="replace") if self.metrics.exists() else ""
        for line in text.splitlines():
            try:
                report = Report(**json.loads(line))
                # Steps that were taken twice, by two processes, are in it twice.
                if (kept[-1].step if kept else 0) < report.step <= until:
                    kept.append(report)
            except (json.JSONDecodeError, TypeError):
                # A line that was written in part: nothing whole can come after it.
                break
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

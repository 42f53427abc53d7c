"""Training as it goes on: one live line on a terminal, a line for each report elsewhere, JSON if asked for."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.text import Text

from dof.solving import Report, Settings
from dof.solving.optimisers.optimiser import phase_at

SPINNER = 2
"""Columns that the sign of activity before the live line takes."""
SHORTEST_NAME = 6
"""Characters of the problem's name with which it is still known; with room for fewer it is left out."""


class ProgressLine:
    """Where training is: of a problem with a name and settings, as text, or as JSON lines on stdout."""

    def __init__(self, name: str, settings: Settings, as_json: bool) -> None:
        self.name, self.settings, self.as_json = name, settings, as_json
        self.console = Console(stderr=True)
        self.status: Status | None = None
        self.number: int | None = None

    def __enter__(self) -> ProgressLine:
        if self.console.is_terminal and not self.as_json:
            self.status = self.console.status(Text(f"{self.name}: compiling"))
            self.status.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.status:
            self.status.stop()

    def stop(self, text: str) -> None:
        """End the live line, with a last sentence."""
        self.__exit__()
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def window(self, number: int) -> None:
        """Say with the following reports which window of time they are of, from 1 on."""
        self.number = number
        if self.status:
            self.status.update(Text(f"{self.name}  window {number}/{self.settings.windows}  compiling"))

    def report(self, report: Report) -> None:
        """Show a report of training."""
        window = {} if self.number is None else {"window": self.number}
        number = "" if self.number is None else f"window {self.number}/{self.settings.windows}  "
        self._show(window | asdict(report), f"{self.name}  {number}{_text(report, self.settings)}")

    def of_race(self, method: str, report: Report) -> None:
        """Show a report of one of two methods."""
        self._show({"method": method, **asdict(report)}, f"{self.name} by {method}  {_text(report, self.settings)}")

    def _show(self, data: dict[str, Any], text: str) -> None:
        if self.as_json:
            sys.stdout.write(json.dumps(data) + "\n")
            sys.stdout.flush()
        elif self.status:
            self.status.update(Text(_shortened(text, self.console.width - SPINNER)))
        else:
            self.console.print(text, highlight=False, markup=False, soft_wrap=True)


def _shortened(text: str, width: int) -> str:
    """The text with the name that it begins with cut off, where the line would not fit."""
    name, space, rest = text.partition("  ")
    room = width - len(space + rest)
    if len(name) <= room:
        return text
    return f"{name[: room - 1]}…{space}{rest}" if room >= SHORTEST_NAME else rest


def _text(report: Report, settings: Settings) -> str:
    """A line of text, with the time that is left, or what comes before the next step."""
    error = "" if report.error is None else f"  error {report.error:.1e}"
    step, residual = f"{report.step}/{settings.steps}", f"residual {report.residual:.1e}  fitted {report.fitted:.0e}"
    return f"{step}  {residual}{error}  {_what_follows(report, settings)}"


def _what_follows(report: Report, settings: Settings) -> str:
    """The time that is left of the phase, as steps of another optimiser take another time; at its end what follows."""
    # The phase of the step that was taken, which may be the last of its phase.
    _, end = phase_at(report.step - 1, settings)
    if report.step == end < settings.steps:
        following, _ = phase_at(report.step, settings)
        return f"compiling {following}"
    left = f"{(end - report.step) * report.seconds_per_step:.0f} s left"
    return left + ("" if end == settings.steps else f" of {report.phase}")

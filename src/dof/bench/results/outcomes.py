"""What a run has found, every sample of it, and its file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dof.errors import ArgumentError, describe

FORMAT = 1


@dataclass
class Outcome:
    """One method on one case. Either it has failed, or it has seconds, one for each round; unknown figures are None."""

    method: str
    failure: str | None = None
    seconds: list[float] = field(default_factory=list)
    deviation: float | None = None
    exact: bool = True
    tracing: float | None = None
    compiling: float | None = None
    temporary: int | None = None
    peak: int | None = None
    flops: float | None = None
    option: Any = None


@dataclass
class CaseResult:
    case: str
    title: str
    points: int
    outcomes: dict[str, Outcome]

    def done(self, method: str) -> Outcome | None:
        """The outcome of a method that was measured."""
        found = self.outcomes.get(method)
        return found if found and found.seconds else None


@dataclass
class Run:
    """A suite on a machine. The rates are those of the ruler, a matrix product, in operations per second."""

    suite: str
    seed: int
    machine: dict[str, Any]
    versions: dict[str, str]
    cases: list[CaseResult] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT


def save(run: Run, path: Path) -> None:
    path.write_text(json.dumps(asdict(run), indent=1))


def load(path: Path) -> Run:
    try:
        data = json.loads(path.read_text())
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']}")
        cases = [_case(entry) for entry in data.pop("cases")]
        return Run(**data, cases=cases)
    except (OSError, ValueError, KeyError, TypeError) as error:
        found = f"{str(path)!r} cannot be read ({type(error).__name__}: {error})"
        raise ArgumentError(describe("path", found, "a file that `dof bench` wrote", "dof bench quick")) from None


def _case(entry: dict[str, Any]) -> CaseResult:
    outcomes = {name: Outcome(**outcome) for name, outcome in entry.pop("outcomes").items()}
    return CaseResult(**entry, outcomes=outcomes)

"""What a run has found, every sample of it, and the JSON file that holds it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dof.errors import ArgumentError, describe

FORMAT = 1
"""Of the file; to be raised when files of before can no longer be read."""


@dataclass
class Outcome:
    """One method on one case: either a failure, or seconds, one for each round. What is not known is None.

    Attributes:
        deviation: from the reference, relative to its largest entry.
        exact: False for an estimate.
        tracing: seconds to trace and lower.
        compiling: seconds to compile.
        temporary: bytes that the program needs beyond arguments and results, by the compiler.
        peak: bytes that the first run adds to the resident memory of the process.
        flops: by the compiler.
        option: the option of the method that was the fastest.
    """

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
    """The outcomes of all methods on one case, by method."""

    case: str
    title: str
    points: int
    outcomes: dict[str, Outcome]

    def done(self, method: str) -> Outcome | None:
        """The outcome of a method if it was measured."""
        found = self.outcomes.get(method)
        return found if found and found.seconds else None


@dataclass
class SuiteRun:
    """A suite on a machine.

    Attributes:
        suite: its name.
        seed: of weights, points and operators.
        machine: as `dof.machine_info.describe` gives it.
        versions: of Python and packages.
        cases: in the order in which they were measured.
        rates: of matrix products, in flops per second, one for each round.
        missing: methods that were left out, with the package that each needs.
        left_out: the cases for which there was not enough time, in words.
        format: of the file.
    """

    suite: str
    seed: int
    machine: dict[str, Any]
    versions: dict[str, str]
    cases: list[CaseResult] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    format: int = FORMAT

    @property
    def gaps(self) -> list[str]:
        """What was not measured, in sentences."""
        missing = [f"{name} is not installed: pip install {package}" for name, package in self.missing.items()]
        short = "left out, for lack of time (a larger --budget, or --cases for some of them): "
        return missing + ([short + "; ".join(self.left_out)] if self.left_out else [])


def save(run: SuiteRun, path: Path) -> None:
    """Write a run as JSON."""
    path.write_text(json.dumps(asdict(run), indent=1), encoding="utf-8")


def load(path: Path) -> SuiteRun:
    """Read what `save` wrote.

    Raises:
        ArgumentError: if the file is something else.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']}")
        cases = [_case(entry) for entry in data.pop("cases")]
        return SuiteRun(**data, cases=cases)
    except (OSError, ValueError, KeyError, TypeError) as error:
        found = f"{str(path)!r} cannot be read ({type(error).__name__}: {error})"
        raise ArgumentError(describe("path", found, "a file that `dof bench` wrote", "dof bench quick")) from None


def merged(runs: list[SuiteRun]) -> SuiteRun:
    """Runs of several suites on one machine as one; of a case that several have, the last counts."""
    whole = replace(runs[-1], suite="all", rates=[rate for run in runs for rate in run.rates])
    whole.cases = list({case.case: case for run in runs for case in run.cases}.values())
    whole.missing = {name: package for run in runs for name, package in run.missing.items()}
    whole.left_out = [title for run in runs for title in run.left_out]
    return whole


def _case(entry: dict[str, Any]) -> CaseResult:
    outcomes = {name: Outcome(**outcome) for name, outcome in entry.pop("outcomes").items()}
    return CaseResult(**entry, outcomes=outcomes)

"""What the solvers reached, and the JSON file that holds it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dof import machine_info
from dof.bench.solvers.solver_process import SolverResult, Timing

FILE = "solvers.json"


@dataclass
class SolverRun:
    """The results by problem and solver, with the machine and the versions of the last of them."""

    machine: dict[str, Any] = field(default_factory=machine_info.machine_facts)
    versions: dict[str, str] = field(default_factory=machine_info.versions)
    timing: Timing = field(default_factory=Timing)
    problems: dict[str, dict[str, SolverResult]] = field(default_factory=dict)


def save(run: SolverRun, out: Path) -> None:
    """Write a run as JSON to a folder."""
    (out / FILE).write_text(json.dumps({"suite": "solvers", **asdict(run)}, indent=1), encoding="utf-8")


def load_or_begin(out: Path, timing: Timing | None = None) -> SolverRun:
    """A run with what the folder has of earlier ones: each problem takes minutes, so they may come one by one.

    Without `timing`, the run is as it was saved.
    """
    run = SolverRun(timing=timing or Timing())
    if (out / FILE).exists():
        data = json.loads((out / FILE).read_text(encoding="utf-8"))
        for name, results in data["problems"].items():
            run.problems[name] = {solver: _result(entry) for solver, entry in results.items()}
        if timing is None:
            run.machine, run.versions, run.timing = data["machine"], data["versions"], Timing(**data["timing"])
    return run


def _result(entry: dict[str, Any]) -> SolverResult:
    return SolverResult(**{**entry, "found": [tuple(pair) for pair in entry["found"]]})

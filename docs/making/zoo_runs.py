"""Solves problems of the zoo and keeps the figures of each run in docs/explanation/accuracy/zoo.jsonl.

    python docs/making/zoo_runs.py burgers 0 1 2 3 4

solves one problem with these seeds, by its recipe; each run is a line at the end of the file, also if others are
interrupted. A line with the same problem and seed takes the place of an earlier one.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import jax

import dof

FILE = Path(__file__).parents[1] / "explanation" / "accuracy" / "zoo.jsonl"


def measured(problem: str, seed: int) -> dict[str, Any]:
    """The figures of one run; `seconds` are of processor time, with compilation, without imports."""
    began = time.process_time()
    solution = dof.solve(problem, seed=seed)
    assert isinstance(solution, dof.solving.Solution), problem  # none of the zoo has windows
    settings = solution.training.settings
    return {
        "problem": problem,
        "seed": seed,
        "error": solution.error,
        "seconds": round(time.process_time() - began, 1),
        "parameters": solution.training.objective.start.size,
        "points": settings.points,
        "steps": solution.history[-1].step,
        "unknowns": {name: jax.numpy.asarray(value).tolist() for name, value in solution.unknowns.items()},
    }


def runs(path: Path = FILE) -> dict[tuple[str, int], dict[str, Any]]:
    """The last run of each problem and seed."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = [json.loads(line) for line in lines]
    return {(run["problem"], run["seed"]): run for run in found}


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    name, *seeds = sys.argv[1:]
    for seed in map(int, seeds):
        line = json.dumps(measured(name, seed))
        print(line, flush=True)
        with FILE.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

"""Solve problems of this folder: `python examples/gallery/run.py folder disk kdv` writes their figures there.

A file has a `problem`, and `solve` where more than `dof.solve(problem)` is asked.
"""

import ast
import importlib
import json
import sys
import time
from pathlib import Path

import jax
import numpy as np

import dof
from dof.solving.solutions.slices import slice_of

HERE = Path(__file__).parent


def lines_of(path):
    """Lines of code: without empty lines, comments and docstrings."""
    text = path.read_text()
    strings = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)]
    is_text = lambda node: isinstance(node, ast.Constant) and isinstance(node.value, str)  # noqa: E731
    docstrings = sum(node.end_lineno - node.lineno + 1 for node in strings if is_text(node))
    code = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    return len(code) - docstrings


def solved(name, **settings):
    """The solution of a file, or several of an eigenvalue problem, and the error."""
    module = importlib.import_module(name)
    solution = module.solve(**settings) if hasattr(module, "solve") else dof.solve(module.problem, **settings)
    if isinstance(solution, tuple):
        found = np.array([float(one.unknowns["energy"]) for one in solution])
        return solution[-1], float(np.abs(found / module.exact - 1).max())
    return solution, solution.error


def values_of(solution):
    """What is drawn: the coordinates of a slice through the domain, and the first field there."""
    part = slice_of(solution.problem)
    values = np.asarray(solution.real_values(part.points)).reshape(len(part.points), -1)[:, 0]
    return {"values": np.where(part.inside, values, np.nan), **{f"axis{k}": axis for k, axis in enumerate(part.grids)}}


def main(out, names):
    jax.config.update("jax_enable_x64", True)
    sys.path.insert(0, str(HERE))
    out.mkdir(parents=True, exist_ok=True)
    for name in names:
        began = time.process_time()
        solution, error = solved(name)
        row = {"lines": lines_of(HERE / f"{name}.py"), "error": error, "seconds": time.process_time() - began}
        (out / f"{name}.json").write_text(json.dumps(row))
        np.savez(out / f"{name}.npz", **values_of(solution))
        solution.plot().savefig(out / f"{name}.png", dpi=80)
        print(name, row, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])

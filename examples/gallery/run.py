"""Solve problems of this folder: `python examples/gallery/run.py disk kdv`; a row of a table and a plot for each.

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

jax.config.update("jax_enable_x64", True)
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


def main(names):
    sys.path.insert(0, str(HERE))
    for name in names:
        began = time.process_time()
        solution, error = solved(name)
        seconds = time.process_time() - began
        row = {"name": name, "lines": lines_of(HERE / f"{name}.py"), "error": error, "seconds": seconds}
        print(json.dumps(row), flush=True)
        solution.plot().savefig(HERE / f"{name}.png", dpi=80)


if __name__ == "__main__":
    main(sys.argv[1:])

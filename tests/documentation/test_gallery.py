"""The gallery: every reference solves its equation and obeys its conditions; every file can be solved."""

import importlib
import re
import runpy
from functools import partial
from pathlib import Path

import jax
import numpy as np
import pytest

from dof.extend import enable_x64
from dof.solving.sampling import sample

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/gallery"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "run")
INEXACT = {"kdv": 1e-5, "plate": 1.0, "l_shape": 1e-5, "schnakenberg": 1e-4}
"""A soliton that is cut off at the ends, a series whose fourth derivatives do not converge, a fit to the boundary, a
numerical solution."""
SMALL = {"adam": 1, "newton": 1, "points": 30, "edge_points": 10, "width": 4, "depth": 1, "report": 2}
SOLVED_IN_ANOTHER_WAY = ["long_time", "mathieu"]


@pytest.fixture
def module(request, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    with enable_x64():
        yield importlib.import_module(request.param)


@pytest.mark.parametrize("module", [name for name in NAMES if name != "mathieu"], indirect=True)
def test_the_reference_solves_the_problem(module):
    problem = module.problem
    terms = problem.terms() + tuple(c.loss_term(problem.named_domain) for c in problem.conditions if c.hard)
    batch = sample(terms, [term.fixed or 16 for term in terms], 0, 0)
    at = [partial(term.residual, problem.exact, {}, "dof") for term in terms]
    found = jax.jit(lambda batch: [jax.vmap(r)(*arrays) for r, arrays in zip(at, batch, strict=True)])(batch)
    for term, residuals in zip(terms, found, strict=True):
        worst = max(np.abs(leaf).max() for leaf in jax.tree.leaves(residuals))
        assert worst < INEXACT.get(problem.name, 1e-8), (term.name, worst)


@pytest.mark.parametrize("module", SOLVED_IN_ANOTHER_WAY, indirect=True)
def test_what_is_not_solved_by_a_plain_call_is_solved(module):
    found = module.solve(**(SMALL | {"width": 24 if module.__name__ == "mathieu" else 4}))
    assert len(found) == len(module.exact) if isinstance(found, tuple) else found.error > 0


def test_the_page_has_every_problem_and_the_lines_of_its_code():
    run = runpy.run_path(str(FOLDER / "run.py"))
    page = (ROOT / "docs/how-to/gallery.md").read_text()
    rows = {row[1]: int(row[2]) for row in re.finditer(r"^\| \[(\w+)\].*? \| (\d+) \|", page, re.M)}
    assert rows == {name: run["lines_of"](FOLDER / f"{name}.py") for name in NAMES}
    assert all(f"<!-- example: gallery/{name} -->" in page for name in NAMES)

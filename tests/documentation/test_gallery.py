"""The gallery: every reference solves its equation and obeys its conditions; every file can be solved."""

import importlib
import re
import runpy
from functools import partial
from pathlib import Path

import jax
import numpy as np
import pytest

import dof
from dof.extend import enable_x64
from dof.solving.checks.reference_check import on_reference
from dof.solving.checks.warnings_before_training import on_given_solution
from dof.solving.loss.collocation_points import sample
from dof.solving.solver import training_of

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/gallery"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "run")
INEXACT = {"kdv": 1e-5, "plate": 1e-4, "l_shape": 1e-5, "schnakenberg": 1e-4}
"""A soliton that is cut off at the ends, a series with 30 terms, a fit to the boundary, a numerical solution."""
SMALL = {"adam": 1, "newton": 1, "points": 30, "edge_points": 10, "width": 4, "depth": 1, "report": 2}


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


@pytest.mark.parametrize("module", [name for name in NAMES if name != "mathieu"], indirect=True)
def test_conditions_do_not_have_the_solution_in_them(module):
    assert on_given_solution(module.problem) == ""


@pytest.mark.parametrize("module", [name for name in NAMES if name != "mathieu"], indirect=True)
def test_no_reference_is_doubted(module):
    training = training_of(module.problem, None, SMALL)
    assert on_reference(training.objective) == ""


@pytest.mark.parametrize("module", ["mathieu"], indirect=True)
def test_eigenpairs_are_solved(module):
    assert len(module.solve(**SMALL | {"width": 24})) == len(module.exact)


@pytest.mark.parametrize("module", ["long_time"], indirect=True)
def test_the_recipe_of_a_long_time_divides_it(module):
    found = dof.solve(module.problem, **SMALL)
    assert len(found.windows) == 4 and found.error > 0


def test_the_page_has_every_problem_and_the_lines_of_its_code():
    run = runpy.run_path(str(FOLDER / "run.py"))
    page = (ROOT / "docs/how-to/gallery.md").read_text()
    rows = {row[1]: int(row[2]) for row in re.finditer(r"^\| \[(\w+)\].*? \| (\d+) \|", page, re.M)}
    assert rows == {name: run["lines_of"](FOLDER / f"{name}.py") for name in NAMES}
    assert all(f"<!-- example: gallery/{name} -->" in page for name in NAMES)

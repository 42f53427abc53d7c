"""Problems in files of the user's: how they are loaded, and what is left behind."""

import re
import sys
from pathlib import Path

import pytest

from dof import ArgumentError
from dof.runs.problem_code import code_in
from dof.runs.problem_source import load_problem, short_name, title

FILE = """
from __future__ import annotations

from dataclasses import dataclass

from dof import pde


@dataclass
class Constants:
    k: float = 2.0


def line(u, x, *, k=Constants().k):
    return k * u.xx


problem = pde.Problem(pde.residual("x")(line), pde.Interval(0, 1))
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.py"):
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    return write


def test_a_file_with_dataclasses_and_postponed_annotations_loads(written):
    path = written(FILE)
    assert load_problem(path).name == "line" and title(path) == "mine.py"


def test_a_file_that_fails_leaves_nothing_in_the_modules(written):
    before, paths = set(sys.modules), list(sys.path)
    with pytest.raises(ArgumentError, match="ZeroDivisionError"):
        load_problem(written("x = 1 / 0", "failing.py"))
    assert set(sys.modules) == before and sys.path == paths


def test_a_file_that_fails_after_it_was_changed_leaves_the_module_from_before(written):
    load_problem(written(FILE, "changed.py"))
    (name,) = (name for name in sys.modules if name.endswith("changed"))
    module = sys.modules[name]
    with pytest.raises(KeyboardInterrupt):
        load_problem(written("raise KeyboardInterrupt", "changed.py"))
    assert sys.modules[name] is module


def test_a_file_does_not_hide_a_module_of_its_name(written):
    import json

    load_problem(written(FILE, "json.py"))
    assert sys.modules["json"] is json


def test_a_file_can_import_its_neighbours(written):
    written("width = 3.0", "a_neighbour_of_mine.py")
    path = written(
        FILE.replace("0, 1)", "0, width)").replace("from dof", "from a_neighbour_of_mine import width\nfrom dof")
    )
    assert load_problem(path).domain.bounds[1] == 3.0


OTHERS = """
second = pde.Problem(pde.residual("y")(lambda u, y: u.yy), pde.Interval(0, 1))
third = lambda: first
number = 3
"""
SEVERAL = FILE.replace("problem = ", "first = ") + OTHERS


@pytest.mark.parametrize(("name", "coordinates"), [("first", "x"), ("second", "y"), ("third", "x")])
def test_a_problem_of_another_name_is_asked_for_after_a_colon(written, name, coordinates):
    source = f"{written(SEVERAL)}:{name}"
    assert str(load_problem(source).equation.coordinates) == coordinates
    assert title(source) == f"mine.py:{name}" and short_name(source) == f"mine-{name}"


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (SEVERAL, "", r"has 2 problems, first, second.*Fix: dof solve .*mine.py:first"),
        (
            SEVERAL,
            ":fourth",
            r"has 2 problems, first, second, and none called 'fourth'.*Fix: dof solve .*mine.py:first",
        ),
        (SEVERAL, ":number", "and none called 'number'"),
        (FILE, ":other", r"has one problem, problem, and none called 'other'.*Fix: dof solve .*mine.py:problem"),
        ("x = 3", "", "has no problem; .*Fix: problem = pde.Problem"),
        ("x = 3", ":x", "has no problem; "),
        ("from dof import pde\nproblem = pde.residual('x')(lambda u, x: u.x)", "", "has no problem; "),
        (FILE + "\ndef of(size):\n    return problem\n", ":of", "and none called 'of'"),
    ],
)
def test_a_file_without_the_one_problem_says_which_there_are(written, text, name, said):
    with pytest.raises(ArgumentError, match=re.compile(said, re.DOTALL)):
        load_problem(written(text) + name)


def test_a_fingerprint_is_of_the_file_as_it_was_read(written):
    first = code_in(Path(written(FILE)))
    again, changed = code_in(Path(written(FILE))), code_in(Path(written(FILE + "# changed")))
    assert first and again and changed and first.fingerprint == again.fingerprint != changed.fingerprint
    assert code_in(None) is code_in(Path("not-there.py")) is None


def test_annotations_are_what_the_file_says_not_text(written):
    asked = "def k(x: float): return x\nassert k.__annotations__['x'] is float\n"
    assert load_problem(written(FILE.replace("from __future__ import annotations", asked))).name == "line"

"""What is drawn and listed from the package is up to date and complete."""

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jax
import pytest
from docs.making import hooks, performance_tables, primitives, zoo_table

import dof
import dof.extend
import dof.jaxpr.rules
from dof.jaxpr.registry import RECORDS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/dof"


def test_the_figure_of_the_architecture_has_every_folder():
    words = " ".join(ElementTree.parse(ROOT / "docs/explanation/architecture.svg").getroot().itertext()).split()
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= {word.strip(",:") for word in words}


def test_every_primitive_with_a_record_is_listed():
    listed = [name for names in primitives.members().values() for name in names]
    own = {primitive.name for primitive, record in RECORDS.items() if record.family == "registered"}
    assert sorted(listed) == sorted(p.name for p, record in RECORDS.items() if record.family != "registered")
    assert all(f"`{name}`" in primitives.table() for name in listed) and not own & set(listed)


def test_the_page_of_primitives_is_that_of_the_records():
    """`python docs/making/primitives.py` makes it."""
    text = primitives.PAGE.read_text(encoding="utf-8")
    if f" of JAX {jax.__version__}." not in text:
        pytest.skip("other releases of JAX have other primitives")
    # In a process of its own: other tests register primitives.
    program = "import sys; from docs.making.primitives import PAGE, made; sys.stdout.write(made(PAGE.read_text()))"
    made = subprocess.run([sys.executable, "-X", "utf8", "-c", program], cwd=ROOT, capture_output=True, check=True)
    assert made.stdout.decode() == text


@pytest.mark.parametrize("module, page", [(dof, "dof"), (dof.pde, "pde"), (dof.extend, "extend")])
def test_every_public_name_is_in_the_reference(module, page):
    text = (ROOT / f"docs/reference/{page}.md").read_text()
    assert [name for name in module.__all__ if name not in text] == []


def test_what_is_made_takes_the_place_of_its_mark():
    page = hooks.on_page_markdown("before <!-- made: command line --> after")
    assert page.startswith("before ") and "--newton" in page and "made:" not in page
    page = hooks.on_page_markdown("<!-- example: gallery/disk -->")
    assert page.startswith("```python\nfrom jax.numpy") and page.endswith("\n)\n```")
    assert "dof solve" in hooks.command_line() and "--newton" in hooks.command_line()


@pytest.mark.parametrize("page", performance_tables.PAGES, ids=lambda page: page.stem)
def test_tables_of_measurements_are_those_of_their_files(page):
    """`python docs/making/performance_tables.py` makes them."""
    text = page.read_text(encoding="utf-8")
    assert performance_tables.MARKS.search(text) and performance_tables.made(text) == text


def test_the_table_of_the_zoo_is_that_of_its_runs():
    """`python docs/making/zoo_table.py` makes it."""
    text = zoo_table.PAGE.read_text(encoding="utf-8")
    assert performance_tables.MARKS.search(text) and zoo_table.made(text) == text
    row = ["burgers", "x t", "1e-05", "1.0e-07", "2.0e-07", "9.0e-07", "3", "941", "2,000", "200", "50 s"]
    runs = [{"error": e, "seconds": 50.0, "parameters": 941, "points": 2000, "steps": 200} for e in (1e-7, 9e-7, 2e-7)]
    assert zoo_table.row("burgers", runs) == row

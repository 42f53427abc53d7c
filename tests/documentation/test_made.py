"""What is drawn and listed from the package: up to date, and complete."""

import xml.etree.ElementTree as ElementTree

import pytest
from docs.making import hooks, layers, primitives
from docs.making.docstrings import as_markdown

import dof.jaxpr.rules  # noqa: F401
from dof.jaxpr.registry import RECORDS


def test_the_drawing_is_that_of_the_code():
    current = layers.draw(layers.imports(), layers.way_of_a_value())
    assert layers.DRAWING.read_text() == current, "run: python -m docs.making.layers"
    ElementTree.fromstring(current)


def test_imports_go_downwards():
    graph = layers.imports()
    level = layers.levels(graph)
    assert all(level[unit] > level[target] for unit, targets in graph.items() for target in targets)
    core = {"operator", "propagate", "walk", "rules", "tangents"}
    above = {"pde", "zoo", "solving", "runs", "bench", "cli"}
    assert not any(graph[unit] & above for unit in core) and not graph["rules"] & core - {"rules", "tangents"}
    assert "solving" not in graph["pde"] and "runs" not in graph["solving"]


def test_circles_are_seen():
    with pytest.raises(ValueError, match="a → b → a"):
        layers.levels({"a": {"b"}, "b": {"a"}})


def test_the_way_of_a_value_begins_with_the_operator_and_ends_with_what_is_read():
    way = layers.way_of_a_value()
    assert way[0] == "operator" and way[-1] == "readout" and way.index("factor") < way.index("walk")


def test_every_primitive_with_a_rule_is_listed():
    listed = [name for names in primitives.members().values() for name in names]
    own = {primitive.name for primitive, entry in RECORDS.items() if entry.family == "registered"}
    assert sorted(listed) == sorted(p.name for p, entry in RECORDS.items() if entry.family != "registered")
    assert all(f"`{name}`" in primitives.table() for name in listed) and not own & set(listed)


def test_what_is_made_takes_the_place_of_its_mark():
    page = hooks.on_page_markdown("before <!-- made: primitives --> after")
    assert page.startswith("before ") and "`tanh`" in page and "made:" not in page
    assert "dof solve" in hooks.command_line() and "--newton" in hooks.command_line()


def test_docstrings_as_markdown():
    text = as_markdown("What.\n\nchunk: how many,\n    at once.\n\n>>> 1 + 1\n2\n\nMore.")
    assert "- `chunk`: how many, at once." in text
    assert "```pycon\n>>> 1 + 1\n2\n```" in text and text.endswith("More.")

"""Formulas of pages become MathML, with nothing from elsewhere."""

import re
from pathlib import Path

from docs.making import typeset

DOCS = Path(__file__).parents[2] / "docs"
FORMULA = re.compile(r"```math\n(.*?)```", flags=re.S)


def test_a_formula_is_mathematics():
    made = typeset.display(r"g'_k = \sum_i \frac{\partial v}{\partial x_i}")
    assert "<mfrac>" in made and "<munder>" in made and 'class="prime"' in made and "\\" not in made


def test_all_formulas_of_pages_are_understood():
    """What the converter does not know it leaves as it is, with its backslash."""
    formulas = [(page.name, text) for page in DOCS.rglob("*.md") for text in FORMULA.findall(page.read_text())]
    assert len(formulas) > 10
    assert [(name, text) for name, text in formulas if "\\" in typeset.display(text)] == []


def test_the_font_is_part_of_the_site():
    assert typeset.FONT.is_file() and "http" not in (DOCS / "assets/style.css").read_text()

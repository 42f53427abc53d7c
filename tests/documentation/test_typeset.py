"""Formulas of pages become MathML, with nothing from elsewhere."""

import re
from pathlib import Path

from docs.making import typeset

DOCS = Path(__file__).parents[2] / "docs"
FORMULA = re.compile(r"```math\n(.*?)```", flags=re.S)


def test_a_formula_is_mathematics():
    made = typeset.display(r"g'_k = \sum_i \frac{\partial v}{\partial x_i}")
    assert "<mfrac>" in made and "<munder>" in made and "\\" not in made


def test_primes_are_beside_their_letters():
    """The font has raised them already."""
    formulas = [text for page in DOCS.rglob("*.md") for text in FORMULA.findall(page.read_text())]
    made = typeset.display("".join(formulas) + r"g'_k + F''")
    assert "<mrow><mi>g</mi><mi>&#x02032;</mi></mrow><mi>k</mi></msub>" in made
    assert "<mrow><mi>F</mi><mi>&#x02033;</mi></mrow>" in made
    assert not re.search(r"&#x0203[23];</m[io]></msu", made)


def test_code_in_tables_has_no_backslash():
    """`a \\| b` is what GitHub needs in a table and what the site shows."""
    pages = {page.name: page.read_text() for page in DOCS.rglob("*.md")}
    assert [name for name, text in pages.items() if re.search(r"`[^`\n]*\\\|[^`\n]*`", text)] == []


def test_all_formulas_of_pages_are_understood():
    """What the converter does not know it leaves as it is, with its backslash."""
    formulas = [(page.name, text) for page in DOCS.rglob("*.md") for text in FORMULA.findall(page.read_text())]
    assert len(formulas) > 10
    assert [(name, text) for name, text in formulas if "\\" in typeset.display(text)] == []


def test_the_font_is_part_of_the_site():
    assert typeset.FONT.is_file() and "http" not in (DOCS / "assets/style.css").read_text()

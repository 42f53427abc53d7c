"""Formulas of pages as MathML, which browsers typeset by themselves, with a font of the site: no script runs."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

FENCE = "math"
"""The language of a code block that is a formula in LaTeX, as GitHub has it too."""
_PACKAGE = find_spec("ziamath")
assert _PACKAGE and _PACKAGE.origin
FONT = Path(_PACKAGE.origin).parent / "fonts" / "STIXTwoMath-Regular.ttf"
"""A font for mathematics. Few readers have one, and without it sums are small and brackets do not grow."""


def display(source: str, *_: Any, **__: Any) -> str:
    """The MathML of a code block of the language `math`."""
    formula = convert(source.strip(), display="block")
    # Primes of this font are small and raised already: the style sheet undoes what a superscript adds.
    formula = re.sub(r"<mi>(&#x0203[23];)</mi>", r'<mo class="prime">\1</mo>', formula)
    return f'<div class="formula">{formula}</div>'


def fence() -> dict[str, Any]:
    """What pymdownx.superfences is told of such blocks."""
    return {"name": FENCE, "class": FENCE, "format": display}

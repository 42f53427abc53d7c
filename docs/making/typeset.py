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
    return f'<div class="formula">{_with_primes_on_letters(formula)}</div>'


def _with_primes_on_letters(formula: str) -> str:
    """Primes beside their letters: those of the font are small and raised already, and browsers would do so again."""
    prime, letter = r"(<mi>&#x0203[23];</mi>)", r"(<mi>[^<]*</mi>)"
    formula = re.sub(f"<msup>{letter}{prime}</msup>", r"<mrow>\1\2</mrow>", formula)
    return re.sub(f"<msubsup>{letter}{letter}{prime}</msubsup>", r"<msub><mrow>\1\3</mrow>\2</msub>", formula)


def fence() -> dict[str, Any]:
    """What pymdownx.superfences is told of such blocks."""
    return {"name": FENCE, "class": FENCE, "format": display}

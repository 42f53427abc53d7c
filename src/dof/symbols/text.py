"""Polynomials in ∂ as text: "∂₀³ + 2 ∂₁"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from dof.symbols.polynomial import Monomial, Polynomial

MOST_NAMED, FIRST = 16, 8
"""Up to so many columns are named, as those of Δ³ in two dimensions; of more of them, the first few."""

_RAISED, _LOWERED = (str.maketrans("0123456789", digits) for digits in ("⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"))


def polynomial_text(polynomial: Polynomial, names: Sequence[str] | None = None) -> str:
    """The polynomial as text, highest degree first.

    Args:
        polynomial: the polynomial.
        names: names of the coordinates; their numbers by default.
    """
    order = sorted(polynomial, key=lambda monomial: (-len(monomial), monomial))
    text = " + ".join(_term(polynomial[monomial], _monomial(monomial, names)) for monomial in order)
    return text.replace("+ -", "− ").replace("-", "−") or "0"


def columns_text(meanings: Sequence[str]) -> str:
    """What columns are, as "3 columns, 1, ∂x, ∂x² + ∂t"; of many the first few."""
    named = meanings if len(meanings) <= MOST_NAMED else [*meanings[:FIRST], "…"]
    return f"{len(meanings)} columns, {', '.join(named)}"


def _term(coefficient: Fraction, monomial: str) -> str:
    number = str(coefficient.numerator) if coefficient.denominator == 1 else f"{float(coefficient):.4g}"
    if not monomial:
        return number
    return {"1": monomial, "-1": f"-{monomial}"}.get(number, f"{number} {monomial}")


def _monomial(monomial: Monomial, names: Sequence[str] | None) -> str:
    return " ".join(f"∂{_name(i, names)}{raised(n)}" for i, n in sorted(Counter(monomial).items()))


def _name(coordinate: int, names: Sequence[str] | None) -> str:
    return str(coordinate).translate(_LOWERED) if names is None else names[coordinate]


def raised(exponent: int) -> str:
    """An exponent as it is written above the line; nothing for one."""
    return "" if exponent == 1 else str(exponent).translate(_RAISED)

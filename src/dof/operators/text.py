"""Operators as text, of either framework: "∂₀² + k(x) ∂₁ − 3"."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby
from math import prod
from typing import Any

import numpy as np

from dof.symbols.text import polynomial_text, raised

Summand = tuple[Any, ...]
"""A product of numbers and of operators as texts, each applied to what those on its right give."""

MOST_NAMED = 8
"""Derivatives up to which a vector b or a diagonal a is written out."""

_SUMS = {"a": "Σ aᵢⱼ{0} ∂ᵢ ∂ⱼ", "b": "Σ bᵢ{0} ∂ᵢ"}


def operator_text(summands: Sequence[Summand]) -> str:
    """A sum of products as text."""
    return " + ".join(map(_product_text, summands)).replace("+ −", "− ") or "0"


def as_factors(summands: Sequence[Summand]) -> Summand:
    """An operator as factors of a product: its own if it is a single one, else all of it as one text."""
    return summands[0] if len(summands) == 1 else (operator_text(summands),)


def summand_of(order: str, coefficient: Any, scales: Sequence[Any]) -> Summand:
    """A term of an operator.

    Args:
        order: "a", "b" or "c".
        coefficient: of this order, in any form that users may give it.
        scales: numbers and functions of x that it is multiplied by.
    """
    return (*scales_text(scales), *_coefficient_text(order, coefficient))


def scales_text(scales: Sequence[Any]) -> Summand:
    """Numbers and functions of x as factors, the last one, which was multiplied last, in front."""
    return tuple(_scalar_text(scale, "s") for scale in reversed(scales))


def _coefficient_text(order: str, coefficient: Any) -> Summand:
    if order == "c":
        return (_scalar_text(coefficient, "c"),)
    numbers, degree = _few_numbers(coefficient), "cba".index(order)
    if callable(coefficient) or numbers is None:
        return (_SUMS[order].format("(x)" if callable(coefficient) else ""),)
    if not numbers.ndim:
        return (numbers.item(), "Δ" if order == "a" else "∂₀")
    entries = {(i,) * degree: Fraction(float(entry)) for i, entry in enumerate(numbers) if entry}
    if len(entries) == 1:
        ((monomial, entry),) = entries.items()
        return (float(entry), *[polynomial_text({monomial[:1]: Fraction(1)})] * degree)
    return (polynomial_text(entries),)


def _scalar_text(scalar: Any, name: str) -> Any:
    if callable(scalar):
        own = getattr(scalar, "__name__", type(scalar).__name__)
        return f"{own if own.isidentifier() else name}(x)"  # that of a lambda is no identifier
    numbers = _few_numbers(scalar)
    return name if numbers is None or numbers.ndim else numbers.item()


def _few_numbers(value: Any) -> Any:
    """Numbers that are known, without axes or with one that is short; None for traced, learned and other values."""
    try:
        # The shape first: nothing large is brought from a device for a text.
        if len(np.shape(value)) > 1 or np.prod(np.shape(value)) > MOST_NAMED:
            return None
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    is_known = array.dtype.kind in ("biuf" if array.ndim else "biufc") and np.isfinite(array).all()
    return array if is_known else None


def _product_text(summand: Summand) -> str:
    # Numbers commute with all linear operators.
    number = prod(factor for factor in summand if not isinstance(factor, str))
    groups = [(factor, len(list(same))) for factor, same in groupby(f for f in summand if isinstance(f, str))]
    is_alone = len(groups) == 1 and groups[0][1] == 1 and number == 1
    text = " ".join(f"({f}){raised(n)}" if " " in f and not is_alone else f"{f}{raised(n)}" for f, n in groups)
    if text and number in (1, -1):
        return text if number == 1 else f"−{text}"
    written = f"({number:.4g})" if isinstance(number, complex) else f"{number:.4g}"
    return f"{written} {text}".strip().replace("-", "−")

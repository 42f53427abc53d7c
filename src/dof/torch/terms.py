"""The terms that operators of order two, one or zero consist of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Term:
    """scales[0](x) · scales[1](x) · … · coefficient(x), the coefficient of one order ("a", "b" or "c")."""

    order: str
    coefficient: Any
    scales: tuple[Any, ...] = ()


def order_of(terms: Iterable[Term]) -> int:
    """The order of an operator, as its terms have it."""
    return max(("cba".index(term.order) for term in terms), default=0)

"""Sums in which None stands for zero, as in derivatives of what does not depend on x."""

from __future__ import annotations

from typing import Any


def add(x: Any, y: Any) -> Any:
    """x + y, where None stands for zero."""
    if x is None or y is None:
        return y if x is None else x
    return x + y

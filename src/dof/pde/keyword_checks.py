"""Checks of dictionaries from names to numbers or functions: `unknowns`, `truth`, `given`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown


def require_by_name(argument: str, given: Any, example: str) -> None:
    """Refuse what is no dictionary from names."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        expected, fix = "a dictionary with names of keywords", f'{argument}={{"k": {example}}}'
        raise ArgumentTypeError(describe(argument, f"is {shown(given)}", expected, fix))


def require_numbers_by_name(argument: str, given: Any) -> None:
    """Refuse what is no dictionary from names to finite real numbers or arrays of them."""
    require_by_name(argument, given, "1.0")
    for name, value in given.items():
        array, called = np.asarray(value), f"{argument}[{name!r}]"
        if array.dtype.kind not in "biuf":
            expected, fix = "a real number or an array of them", f'{argument}={{"{name}": 1.0}}'
            raise ArgumentTypeError(describe(called, f"is {shown(value)}", expected, fix))
        if not np.isfinite(array).all():
            raise ArgumentError(
                describe(called, f"is {shown(value)}", "finite numbers", f'{argument}={{"{name}": 1.0}}')
            )

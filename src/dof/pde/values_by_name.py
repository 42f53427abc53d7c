"""Dictionaries from names to numbers or functions, as `unknowns`, `truth` and `given` are, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.extend import is_traced


def require_by_name(argument: str, given: Any, example: str) -> None:
    """Refuse what is no dictionary from names."""
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        expected, fix = "a dictionary with names of keywords", f'{argument}={{"k": {example}}}'
        raise ArgumentTypeError(describe(argument, f"is {shown(given)}", expected, fix))


def require_numbers_by_name(argument: str, given: Any) -> None:
    """Refuse what is no dictionary from names to finite real numbers or arrays of them."""
    require_by_name(argument, given, "1.0")
    for name, value in given.items():
        called = f"{argument}[{name!r}]"
        array = value if is_traced(value) else np.asarray(value)
        if not _is_real(array.dtype):
            expected, fix = "a real number or an array of them", f'{argument}={{"{name}": 1.0}}'
            raise ArgumentTypeError(describe(called, f"is {shown(value)}", expected, fix))
        if not is_traced(array) and not np.isfinite(array).all():
            raise ArgumentError(
                describe(called, f"is {shown(value)}", "finite numbers", f'{argument}={{"{name}": 1.0}}')
            )


def _is_real(dtype: Any) -> bool:
    # The types of JAX that NumPy does not have, as bfloat16, among them.
    return any(jnp.issubdtype(dtype, kind) for kind in (np.bool_, jnp.integer, jnp.floating))

"""`is_known`: whether an array is NumPy's, and so known while a function is traced.

A coefficient given as numbers is known when a function is traced: dof keeps it as a NumPy array and can look at its
entries. One that is computed from a traced value, or is an argument under `jit`, is known at run time only: an array of
the framework (a JAX tracer, a torch tensor). All of dof tells the two apart by `is_known`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from dof.typing import Array


def is_known(*arrays: Any) -> bool:
    """Whether all arrays are known while tracing."""
    # Arrays of JAX that hold numbers do not count: under `jit` whatever is computed from them is a tracer.
    return all(isinstance(array, np.ndarray) for array in arrays)


def concatenate(arrays: Sequence[Array], axis: int = 0) -> Array:
    """Concatenate in NumPy if all arrays are known, else in the framework of the first that is not."""
    unknown = [array for array in arrays if not is_known(array)]
    if not unknown:
        return np.concatenate(arrays, axis)
    return _namespace(unknown[0]).concatenate(arrays, axis=axis)


def _namespace(array: Any) -> Any:
    """The module with the functions of an array's framework."""
    # The array API standard names the namespace of an array; torch tensors do not have it yet.
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    return sys.modules[type(array).__module__.partition(".")[0]]

"""Taylor coefficients of elementwise operations by nested jvps along ones, for those without any written by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import torch
from torch import Tensor
from torch.func import jvp

from dof.torch.call import Call


def mixed_taylor(call: Call, order: int) -> dict[tuple[int, ...], Tensor]:
    """∂^α f / α! by the sorted tuple α of the operands that are differentiated in, up to an order."""
    values = tuple(call.values)
    functions: dict[tuple[int, ...], Callable[..., Any]] = {(): call}
    found = {}
    for degree in range(1, order + 1):
        for index in combinations_with_replacement(range(len(values)), degree):
            functions[index] = _along(functions[index[:-1]], index[-1])
            found[index] = functions[index](*values) / prod(map(factorial, Counter(index).values()))
    return found


def _along(function: Callable[..., Any], i: int) -> Callable[..., Any]:
    """The derivative of one element in operand i."""

    def derivative(*values: Tensor) -> Tensor:
        unit = tuple(torch.ones_like(v) if n == i else torch.zeros_like(v) for n, v in enumerate(values))
        return jvp(function, values, unit)[1]

    return derivative

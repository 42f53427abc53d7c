"""What depends on known coefficients only, kept for the next call by their numbers.

By numbers, not by objects: residuals and products of operators make their operators anew at each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from dof.operators.higher_order import products_of
from dof.torch.user_matrices import BlockDiagonal, Factored

MOST = 64
"""Results that are kept of each kind; of a matrix with N = 1000 coordinates, factors take 8 MB."""


class Kept(dict[Any, Any]):
    """Results by key; forgotten all at once where there are too many."""

    def of(self, key: Any, make: Callable[[], Any]) -> Any:
        """The result for a key, made if it is not there."""
        if key not in self:
            made = make()
            if len(self) >= MOST:
                self.clear()
            self[key] = made
        return self[key]


def content_of_operators(operators: Iterable[Any]) -> Any:
    """The numbers of operators of any order; None if a coefficient is learned, or a function of x."""
    products = [product for operator in operators for product in (*products_of(operator), ())]
    terms = [[(t.order, t.coefficient, *t.scales) for t in factor.terms] for product in products for factor in product]
    try:
        return content([len(product) for product in products]), content(terms)
    except _Unknown:
        return None


class _Unknown(Exception):
    pass


def content(part: Any) -> Any:
    """Numbers as something with a hash: those of an array, a matrix of the user's, or several of them."""
    if isinstance(part, np.ndarray):
        return part.shape, part.dtype.str, part.tobytes()
    if isinstance(part, (tuple, list)):
        return type(part), *map(content, part)
    if isinstance(part, (Factored, BlockDiagonal)):
        return type(part), *map(content, vars(part).values())
    if part is None or isinstance(part, (str, int, float, complex, np.number)):
        return part
    raise _Unknown

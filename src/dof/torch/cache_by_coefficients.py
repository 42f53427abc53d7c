"""What depends on known coefficients only, kept for the next call by their numbers.

By numbers, not by objects: operators are often made anew at each call, as `dx**3 + k * dy` within a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

import numpy as np

from dof.operators.higher_order import products_of
from dof.torch.user_matrices import BlockDiagonal, Factored

MOST = 64
"""Results that are kept of each kind; of a matrix with N = 1000 coordinates, factors take 8 MB."""

_MISSING = object()


class Kept(dict[Any, Any]):
    """Results by key; forgotten all at once where there are too many."""

    def of(self, key: Any, make: Callable[[], Any]) -> Any:
        """The result for a key, made if it is not there."""
        found = self.get(key, _MISSING)
        if found is _MISSING:
            found = make()
            if len(self) >= MOST:
                self.clear()
            self[key] = found
        return found  # not self[key], which another thread may have cleared


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
    """Numbers as something with a hash: those of an array, a matrix of the user's, or several of them.

    Of an array it is a digest, so that keys do not hold its numbers; it takes 5 ms for 1000 × 1000 of them. Numbers
    come with their type: 1 + 0j equals 1.0, but results are complex.
    """
    if isinstance(part, np.ndarray):
        return part.shape, part.dtype.str, sha256(part.tobytes()).digest()
    if isinstance(part, (tuple, list)):
        return type(part), *map(content, part)
    if isinstance(part, (Factored, BlockDiagonal)):
        return type(part), *map(content, vars(part).values())
    if part is None or isinstance(part, (str, int, float, complex, np.number)):
        return type(part), part
    raise _Unknown

"""An operator of any order at the points x, as Σ_k g_k(x) P_k(∂) with polynomials P_k that are known.

Coefficients of the leftmost factor of a product may depend on x or be learned: they multiply what is read off. For
others Leibniz' rule would be needed, and the factors are applied one after another instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from dof.directions.matrix_forms import Blocks, Diagonal, LowRank, dense
from dof.operators.higher_order import HigherOrder, products_of
from dof.symbols import polynomial
from dof.symbols.polynomial import Monomial, Polynomial
from dof.torch.cache_by_coefficients import Kept, content_of_operators
from dof.torch.coefficients import PointMatrix, block_matrix, is_known, matrix_at, scalar_at, vector_at
from dof.torch.propagation import NeedsNesting
from dof.torch.terms import Term, order_of

Symbol = Sequence[tuple[Any, Polynomial]]
"""(g_k, P_k), where g_k is None for one, a complex number, or a tensor with one number for each point or for all."""

MOST_MONOMIALS = 10_000
"""Terms up to which a product of polynomials is multiplied out: Δ² has N² of them."""


def symbol_at(operator: Any, x: Tensor) -> Symbol:
    """The operator at the points x (…, N).

    Raises:
        NeedsNesting: if a factor that is not the leftmost has coefficients that depend on x or are learned, or if the
            products have too many terms.
    """
    terms = [term for product in products_of(operator) for term in _terms_of_product(product, x)]
    known = polynomial.total([p for factor, p in terms if factor is None])
    return [(None, known), *((factor, p) for factor, p in terms if factor is not None)]


class OrderTwo(NamedTuple):
    """An operator of order two, one or zero that has `terms`, like an `Operator`, and nothing else."""

    terms: tuple[Term, ...]

    @property
    def order(self) -> int:
        """The order of the operator, as its terms have it."""
        return order_of(self.terms)


_JOINED = Kept()


def of_order_two(operator: Any, x: Tensor) -> Any:
    """A sum of products of order two at most, with constant coefficients, as one operator; others as they are."""
    key = content_of_operators([operator]) if operator.order <= 2 else None
    joined = None if key is None else _JOINED.of((x.shape[-1], x.dtype, key), lambda: _joined(operator, x))
    return operator if joined is None else joined


def _joined(operator: Any, x: Tensor) -> OrderTwo | None:
    try:
        (_, known), *rest = symbol_at(operator, x)
    except NeedsNesting:
        return None
    return None if rest else OrderTwo(tuple(_terms_of_known(known, x.shape[-1])))


def in_pairs(factors: Sequence[Any], x: Tensor) -> list[Any]:
    """The factors of a product, with two neighbours of order one and constant coefficients as one of order two."""
    found: list[Any] = []
    for factor in factors:
        joined = of_order_two(HigherOrder(((found[-1], factor),)), x) if found and found[-1].order < 2 else None
        found = [*found[:-1], joined] if isinstance(joined, OrderTwo) else [*found, factor]
    return found


def _terms_of_known(symbol: Polynomial, n: int) -> Iterator[Term]:
    """The terms of a polynomial of degree two at most, in n coordinates."""
    arrays = {"c": np.zeros(()), "b": np.zeros(n), "a": np.zeros((n, n))}
    for monomial, coefficient in symbol.items():
        arrays["cba"[len(monomial)]][monomial] += float(coefficient)
    yield from (Term(order, array) for order, array in arrays.items() if array.any())


def _terms_of_product(factors: Sequence[Any], x: Tensor) -> Iterator[tuple[Any, Polynomial]]:
    first, *others = ([*_terms(factor, x)] for factor in factors)
    if any(factor is not None for terms in others for factor, _ in terms):
        raise NeedsNesting("an operator on the right of @ has coefficients that depend on x, are learned or complex")
    known = [polynomial.total([p for _, p in terms]) for terms in others]
    size = np.prod([len(p) for p in known], dtype=float) * sum(len(p) for _, p in first)
    if size > MOST_MONOMIALS:
        raise NeedsNesting(f"the operator has more than {MOST_MONOMIALS} monomials")
    for factor, p in first:
        yield factor, reduce(polynomial.times, known, p)


def _terms(operator: Any, x: Tensor) -> Iterator[tuple[Any, Polynomial]]:
    """The terms of an operator of order two, one or zero."""
    for term in operator.terms:
        scales = [scalar_at("scale", scale, x) for scale in term.scales]
        for factor, p in _unscaled(term, x):
            factors = [f for f in (*scales, factor) if f is not None]
            exact = [Fraction(f) for f in factors if isinstance(f, (int, float))]
            rest = [f for f in factors if not isinstance(f, (int, float))]
            scale = reduce(lambda a, b: a * b, exact, Fraction(1))
            yield reduce(lambda a, b: a * b, rest) if rest else None, {m: scale * c for m, c in p.items()}


def _unscaled(term: Any, x: Tensor) -> Iterator[tuple[Any, Polynomial]]:
    if term.order == "c":
        yield scalar_at("c", term.coefficient, x), {(): Fraction(1)}
    elif term.order == "b":
        b = vector_at(term.coefficient, x)
        yield from _of_entries({(i,): b[..., i] if b.ndim else b for i in range(x.shape[-1])})
    else:
        scale, matrix = matrix_at(term.coefficient, x)
        is_exact = isinstance(matrix, LowRank) and is_known(matrix) and not np.iscomplexobj(matrix.rows)
        parts = [(None, polynomial.squares(*matrix))] if is_exact else _of_entries(_entries(matrix))
        for factor, p in parts:
            yield factor if scale is None else scale if factor is None else scale * factor, p


def _of_entries(entries: dict[Monomial, Any]) -> Iterator[tuple[Any, Polynomial]]:
    """One term for what is known and real, one for each coefficient that is not."""
    known = {m: c for m, c in entries.items() if not isinstance(c, torch.Tensor)}
    yield None, {m: Fraction(float(np.real(c))) for m, c in known.items() if np.real(c)}
    yield from ((1j, {m: Fraction(float(np.imag(c)))}) for m, c in known.items() if np.imag(c))
    yield from ((c, {m: Fraction(1)}) for m, c in entries.items() if isinstance(c, torch.Tensor))


def _entries(matrix: Any) -> dict[Monomial, Any]:
    """The coefficients of ∂_i ∂_j, i ≤ j: numbers, or tensors with one for each point or for all."""
    if isinstance(matrix, Diagonal):
        return {(i, i): entry for i, entry in enumerate(matrix.entries)}
    full = dense(matrix) if is_known(matrix) else _as_tensor(matrix)
    n = full.shape[-1]
    return {(i, j): (1 if i == j else 2) * full[..., i, j] for i in range(n) for j in range(i, n)}


def _as_tensor(matrix: Any) -> Tensor:
    """A matrix that is learned or differs from point to point, (…, N, N)."""
    if isinstance(matrix, PointMatrix):
        return matrix.columns.movedim(0, -1)
    if isinstance(matrix, Blocks):
        return block_matrix([torch.as_tensor(stack) for stack in matrix.stacks])
    rows = torch.as_tensor(matrix.rows)
    return torch.einsum("k,k...i,k...j->...ij", torch.as_tensor(matrix.weights).to(rows), rows, rows)

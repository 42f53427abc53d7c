"""A = Lᵀ Q L: the directions (rows of L) along which second derivatives are taken, and how they are summed (Q).

What is known when tracing is factored here, once, in float64: Q = ±1, and L has rank(A) rows. What is known only at
run time is never factored: L = 1 and Q = A. That is differentiable everywhere, also where eigenvalues coincide or
vanish, and costs less than an eigendecomposition at each point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dof.directions.sparse_rows import Group, KnownRows, group, scaled_coordinates
from dof.operators.coefficients import Blocks, Diagonal, Matrix, Rows, concatenate, dense
from dof.typing import Array

DENSE_LIMIT = 2048
"""Above this many coordinates a sum of known low-rank and diagonal parts is not multiplied out."""


class Quadratic(NamedTuple):
    """The second-order part of one operator. A coupling (start, blocks) sums the directions from `start` on."""

    rows: tuple[Group, ...]
    weights: Array
    couplings: tuple[tuple[int, Array], ...] = ()


def factor(terms: Sequence[Matrix], n: int) -> Quadratic:
    """The sum of the terms, factored."""
    over_coordinates = [t for t in terms if not isinstance(t, Rows)]
    if not all(map(is_known, over_coordinates)):
        unfactored = _over_coordinates(over_coordinates, n)
        return _append(unfactored, [t for t in terms if isinstance(t, Rows)])
    known = [t for t in terms if is_known(t)]
    return _append(_factor_known(known, n), [t for t in terms if not is_known(t)])


def is_known(matrix: Matrix) -> bool:
    arrays = matrix.stacks if isinstance(matrix, Blocks) else tuple(matrix)
    return all(isinstance(array, np.ndarray) for array in arrays)


def _append(quadratic: Quadratic, terms: Sequence[Any]) -> Quadratic:
    """Further directions with weights of their own."""
    rows = (*quadratic.rows, *(group(t.rows) for t in terms))
    weights = concatenate([quadratic.weights, *(t.weights for t in terms)], axis=0)
    return Quadratic(rows, weights, quadratic.couplings)


def _over_coordinates(terms: Sequence[Diagonal | Blocks], n: int) -> Quadratic:
    """Directions are the coordinates; weights and couplings are the entries of A."""
    weights = sum((t.entries for t in terms if isinstance(t, Diagonal)), np.zeros(n))
    couplings = []
    for term in terms:
        start = 0
        for stack in term.stacks if isinstance(term, Blocks) else ():
            couplings += [(start, stack)] if stack.size else []
            start += stack.shape[0] * stack.shape[1]
    return Quadratic((scaled_coordinates(np.ones(n)),), weights, tuple(couplings))


def _factor_known(terms: Sequence[Matrix], n: int) -> Quadratic:
    if all(isinstance(t, Diagonal) for t in terms):
        return _factor_diagonal(sum((t.entries for t in terms if isinstance(t, Diagonal)), np.zeros(n)))
    if len(terms) == 1 and isinstance(terms[0], Blocks):
        return _factor_blocks(terms[0], n)
    rows = [t for t in terms if isinstance(t, Rows)]
    if rows and (n > DENSE_LIMIT or (len(rows) == len(terms) and sum(len(t.rows) for t in rows) <= n)):
        others = _factor_known([t for t in terms if not isinstance(t, Rows)], n)
        return _append(others, rows)
    total = sum(map(dense, terms), np.zeros((n, n)))
    rounding = max((t.rounding for t in terms if isinstance(t, Blocks)), default=float(np.finfo(np.float64).eps))
    return _factor_blocks(Blocks((total[None],), rounding), n)


def _factor_diagonal(entries: Any) -> Quadratic:
    return Quadratic((scaled_coordinates(np.sqrt(np.abs(entries))),), np.sign(entries[entries != 0]))


def _factor_blocks(blocks: Blocks, n: int) -> Quadratic:
    """Block by block, so that each direction moves the coordinates of one block only."""
    row, column = [np.zeros(0, int)], [np.zeros(0, int)]
    entry: list[Any] = [np.zeros(0)]
    weights: list[Any] = [np.zeros(0)]
    start = found = 0
    for block in (block for stack in blocks.stacks for block in stack):
        for members in _components(block):
            inner, inner_weights = _factor_block(block[np.ix_(members, members)], blocks.rounding)
            row.append(np.repeat(np.arange(found, found + len(inner)), len(members)))
            column.append(np.tile(start + members, len(inner)))
            entry.append(inner.ravel())
            weights.append(inner_weights)
            found += len(inner)
        start += len(block)
    rows = KnownRows(found, n, *map(np.concatenate, (row, column, entry)))
    return Quadratic((rows.without_zeros(),), np.concatenate(weights))


def _components(block: np.ndarray) -> list[np.ndarray]:
    """The coordinates that A couples with each other, directly or through others."""
    linked, left, found = block != 0, np.ones(len(block), bool), []
    while left.any():
        members = np.zeros(len(block), bool)
        reached = np.arange(len(block)) == np.argmax(left)
        while (reached & ~members).any():
            members |= reached
            reached = linked[reached].any(axis=0)
        left &= ~members
        found.append(np.flatnonzero(members))
    return found


def _factor_block(block: np.ndarray, rounding: float) -> tuple[Array, Array]:
    """Eigenvectors scaled by √|λ|; what is zero to rounding in the precision that A was given in is dropped.

    Before that A is scaled to S B S with entries of B up to one: a small coefficient beside a large one is no rounding.
    """
    scale = np.sqrt(np.abs(block).max(axis=1))
    if not scale.any():
        return np.zeros((0, len(block))), np.zeros(0)
    values, vectors = np.linalg.eigh(block / np.outer(scale, scale))
    kept = np.abs(values) > rounding * len(block) * np.abs(values).max()
    return (vectors[:, kept] * np.sqrt(np.abs(values[kept]))).T * scale, np.sign(values[kept])

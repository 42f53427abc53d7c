"""A = Lᵀ Q L: the directions (rows of L) along which second derivatives are taken, and the form Q that sums them.

An A that is known while tracing is factored here, once, in float64: Q = diag(±1), and L has rank(A) rows. An A that is
known at run time only is never factored: L = 1 and Q = A. That is differentiable everywhere, also where eigenvalues
coincide or vanish, and costs less than an eigendecomposition at each point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from dof.directions.known_while_tracing import concatenate
from dof.directions.matrix_forms import Blocks, Diagonal, LowRank, Matrix, dense, is_known_matrix
from dof.directions.sparse_rows import RowBlock, SparseRows, row_block, scaled_coordinates
from dof.typing import Array

DENSE_LIMIT = 2048
"""Above this many coordinates a known sum of low-rank and diagonal parts stays a sum: as a dense matrix it would take
more than 32 MB, and its eigenvectors seconds."""


class SecondOrderPart(NamedTuple):
    """Σ_k weights_k ∂_k² + Σ_kl q_kl ∂_k ∂_l, along the directions ∂_k given by the rows.

    Attributes:
        rows: the r rows of L, in blocks.
        weights: (r,), with Q = diag(weights) + couplings.
        couplings: (start, blocks) pairs: m square blocks (m, b, b) one after the other along the diagonal of Q, the
            first of which begins at direction `start`.
    """

    rows: tuple[RowBlock, ...]
    weights: Array
    couplings: tuple[tuple[int, Array], ...] = ()

    @property
    def size(self) -> int:
        """How many directions there are."""
        return sum(map(len, self.rows))


def factor(terms: Sequence[Matrix], n: int) -> SecondOrderPart:
    """Factor A, the sum of the terms, over n coordinates."""
    # One unknown matrix over the coordinates makes their sum unknown; low-rank terms bring directions of their own.
    over_coordinates = [t for t in terms if not isinstance(t, LowRank)]
    if not all(map(is_known_matrix, over_coordinates)):
        return _append(_over_coordinates(over_coordinates, n), [t for t in terms if isinstance(t, LowRank)])
    # What is not known here has low rank: all other terms passed the test above.
    known = [t for t in terms if is_known_matrix(t)]
    return _append(_factor_known(known, n), [t for t in terms if not is_known_matrix(t)])


def _append(part: SecondOrderPart, terms: Sequence[Any]) -> SecondOrderPart:
    """Add low-rank terms Σ_k w_k rows_k rows_kᵀ: their rows are further directions, their w_k the weights."""
    rows = (*part.rows, *(row_block(t.rows) for t in terms))
    return SecondOrderPart(rows, concatenate([part.weights, *(t.weights for t in terms)]), part.couplings)


def _over_coordinates(terms: Sequence[Diagonal | Blocks], n: int) -> SecondOrderPart:
    """L = 1: the directions are the coordinates; weights and couplings are the entries of A."""
    diagonals = [t.entries for t in terms if isinstance(t, Diagonal)]
    weights = sum(diagonals[1:], diagonals[0]) if diagonals else np.zeros(n)
    # Terms are added, so each begins at coordinate 0 again; the stacks of one term follow each other.
    couplings = []
    for term in terms:
        start = 0
        for stack in term.stacks if isinstance(term, Blocks) else ():
            # A stack of no blocks is left out: tangents cannot be reshaped into zero blocks of unknown size.
            couplings += [(start, stack)] if stack.size else []
            start += stack.shape[0] * stack.shape[1]
    return SecondOrderPart((scaled_coordinates(np.ones(n)),), weights, tuple(couplings))


def _factor_known(terms: Sequence[Matrix], n: int) -> SecondOrderPart:
    if all(isinstance(t, Diagonal) for t in terms):
        return _factor_diagonal(sum((t.entries for t in terms if isinstance(t, Diagonal)), np.zeros(n)))
    if len(terms) == 1 and isinstance(terms[0], Blocks):
        return _factor_blocks(terms[0], n)
    low_rank = [t for t in terms if isinstance(t, LowRank)]
    # A factor that the user gave is kept unless it has more rows than coordinates; then eigenvectors are fewer.
    few_rows = len(low_rank) == len(terms) and sum(len(t.rows) for t in low_rank) <= n
    if low_rank and (n > DENSE_LIMIT or few_rows):
        return _append(_factor_known([t for t in terms if not isinstance(t, LowRank)], n), low_rank)
    # Mixed forms of moderate size are multiplied out: the rank of the sum may be smaller than that of its parts.
    total = sum(map(dense, terms), np.zeros((n, n)))
    # The least precise term decides which eigenvalues of the sum are rounding.
    rounding = max((t.rounding for t in terms if isinstance(t, Blocks)), default=float(np.finfo(np.float64).eps))
    return _factor_blocks(Blocks((total[None],), rounding), n)


def _factor_diagonal(entries: Any) -> SecondOrderPart:
    # `scaled_coordinates` leaves out coordinates with entry zero, and so must the signs.
    return SecondOrderPart((scaled_coordinates(np.sqrt(np.abs(entries))),), np.sign(entries[entries != 0]))


def _factor_blocks(blocks: Blocks, n: int) -> SecondOrderPart:
    """Factor block by block, so that each direction moves the coordinates of one block only."""
    # Empty arrays first, because A = 0 has no rows and NumPy does not concatenate an empty list.
    row, column = [np.zeros(0, int)], [np.zeros(0, int)]
    entry: list[Any] = [np.zeros(0)]
    weights: list[Any] = [np.zeros(0)]
    start = found = 0
    for block in (block for stack in blocks.stacks for block in stack):
        for members in _coupled_coordinates(block):
            inner, inner_weights = _factor_block(block[np.ix_(members, members)], blocks.rounding)
            row.append(np.repeat(np.arange(found, found + len(inner)), len(members)))
            column.append(np.tile(start + members, len(inner)))
            entry.append(inner.ravel())
            weights.append(inner_weights)
            found += len(inner)
        start += len(block)
    # Eigenvectors of a block often have exact zeros, which sparsity of tangents can use.
    rows = SparseRows(found, n, *map(np.concatenate, (row, column, entry)))
    return SecondOrderPart((rows.without_zeros(),), np.concatenate(weights))


def _coupled_coordinates(block: np.ndarray) -> list[np.ndarray]:
    """The sets of coordinates that A couples with each other, directly or through others."""
    count, label = connected_components(coo_array(block != 0), directed=False)
    return [np.flatnonzero(label == k) for k in range(count)]


def _factor_block(block: np.ndarray, rounding: float) -> tuple[Array, Array]:
    """(rows, signs) with block = rowsᵀ diag(signs) rows: eigenvectors times √|λ|, without those with λ = 0.

    A is first scaled to S B S with entries of B up to one, so that a small coefficient beside a large one is not
    mistaken for rounding; λ counts as zero if it is below the rounding of the precision that A was given in.
    """
    scale = np.sqrt(np.abs(block).max(axis=1))
    if not scale.any():
        return np.zeros((0, len(block))), np.zeros(0)
    # No division by zero: a row of zeros is a set of its own in `_coupled_coordinates`, and has returned already.
    values, vectors = np.linalg.eigh(block / np.outer(scale, scale))
    # The tolerance of numpy.linalg.matrix_rank.
    kept = np.abs(values) > rounding * len(block) * np.abs(values).max()
    # Rows times S again: they are no eigenvectors of A itself, but any L with A = Lᵀ diag(±1) L will do.
    return (vectors[:, kept] * np.sqrt(np.abs(values[kept]))).T * scale, np.sign(values[kept])

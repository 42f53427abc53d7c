"""The matrix A of the second-order part at a point, in one of three forms.

Entries are NumPy arrays where they are known while tracing, else arrays of the framework.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dof.directions.known_while_tracing import concatenate, is_known
from dof.typing import Array


class Diagonal(NamedTuple):
    """A diagonal A, by its entries (N,)."""

    entries: Array


class Blocks(NamedTuple):
    """Symmetric blocks along the diagonal. A dense A is one block.

    Attributes:
        stacks: arrays (m, b, b), each of m blocks of one size.
        rounding: relative precision of the entries; an eigenvalue below it counts as zero.
    """

    stacks: tuple[Array, ...]
    rounding: float


class LowRank(NamedTuple):
    """A = Σ_k weights_k rows_k rows_kᵀ, with rows (r, N) and weights (r,)."""

    rows: Array
    weights: Array


Matrix = Diagonal | Blocks | LowRank


def arrays_of(matrix: Matrix) -> tuple[Array, ...]:
    """All arrays that a matrix consists of."""
    return matrix.stacks if isinstance(matrix, Blocks) else tuple(matrix)


def is_known_matrix(matrix: Matrix) -> bool:
    """Whether all entries of A are known while tracing."""
    return is_known(*arrays_of(matrix))


def dense(matrix: Matrix) -> Array:
    """A as an array (N, N)."""
    if isinstance(matrix, LowRank):
        return (matrix.rows.T * matrix.weights) @ matrix.rows
    if isinstance(matrix, Diagonal):
        # An identity in float64 would turn traced entries in float32 into float64.
        return matrix.entries[:, None] * np.eye(len(matrix.entries), dtype=matrix.entries.dtype)
    blocks, start = [block for stack in matrix.stacks for block in stack], 0
    n = sum(map(len, blocks))
    # Put together from pieces, because arrays of JAX cannot be written to.
    rows = []
    for block in blocks:
        before, after = np.zeros((len(block), start)), np.zeros((len(block), n - start - len(block)))
        rows.append(concatenate([before, block, after], axis=1))
        start += len(block)
    return concatenate(rows)


def map_entries(function: Callable[[Any], Any], matrix: Matrix) -> Matrix:
    """Apply a linear function to the entries of A, in the form that A has."""
    if isinstance(matrix, LowRank):
        # A is linear in the weights, and quadratic in the rows.
        return LowRank(matrix.rows, function(matrix.weights))
    if isinstance(matrix, Blocks):
        return Blocks(tuple(map(function, matrix.stacks)), matrix.rounding)
    return Diagonal(function(matrix.entries))

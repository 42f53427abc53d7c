"""Coefficients of the operators Σ_k c_k D_k made of derivatives that a residual reads."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.extend import (
    DENSE_LIMIT,
    Blocks,
    Coefficients,
    Coordinates,
    Diagonal,
    LowRank,
    Matrix,
    arrays_of,
    dense_rows,
    factor,
    is_known,
    is_known_matrix,
    map_entries,
)
from dof.pde.notation.derivatives import Applied, Derivative, First, Second
from dof.typing import Array

Users = dict[Applied, Coefficients]
"""The operators of the user at the point."""


def unit(i: int, size: int) -> np.ndarray:
    """The unit vector e_i."""
    vector = np.zeros(size)
    vector[i] = 1
    return vector


def combined(
    terms: Sequence[tuple[Any, Derivative]], users: Users, coordinates: Coordinates, along_coordinates: bool
) -> Coefficients:
    """The coefficients of Σ_k c_k D_k at the point.

    Args:
        terms: (c_k, D_k) pairs; c_k is a float if it is known while tracing. If all are, A is factored as a whole.
        users: the operators of the user among the D_k.
        coordinates: of the point.
        along_coordinates: whether an A that is not known has the coordinates as directions, or those of its parts.
    """
    terms = [(c, read) for c, read in terms if not (isinstance(c, float) and c == 0)]
    parts = [_scaled(users[r], c, coordinates.size, along_coordinates) for c, r in terms if isinstance(r, Applied)]
    parts += [Coefficients((), c * unit(r.i, coordinates.size), None) for c, r in terms if isinstance(r, First)]
    if second := [(c, r) for c, r in terms if isinstance(r, Second)]:
        parts.append(Coefficients((second_order(second, coordinates.size, along_coordinates),), None, None))
    return Coefficients(tuple(m for part in parts for m in part.a), _sum(p.b for p in parts), _sum(p.c for p in parts))


def _sum(parts: Iterable[Array | None]) -> Array | None:
    found = [part for part in parts if part is not None]
    return reduce(operator.add, found) if found else None


def _scaled(user: Coefficients, c: Any, size: int, along_coordinates: bool) -> Coefficients:
    """c L. A known A is factored first, so that it keeps its rank if c is not known."""
    a = user.a
    is_plain = all(is_known_matrix(m) and not any(map(np.iscomplexobj, arrays_of(m))) for m in a)
    if a and is_plain and not isinstance(c, float) and not along_coordinates and size <= DENSE_LIMIT:
        part = factor(a, size)
        a = (LowRank(dense_rows(part.rows), part.weights),)
    times = lambda v: np.asarray(c * v) if isinstance(c, float) and is_known(v) else c * v  # noqa: E731
    b, c0 = (None if v is None else times(v) for v in (user.b, user.c))
    return Coefficients(tuple(map_entries(times, matrix) for matrix in a), b, c0)


def second_order(terms: Sequence[tuple[Any, Second]], size: int, along_coordinates: bool) -> Matrix:
    """A of Σ_k c_k Σ_(i,j) ∂_i ∂_j over the pairs of D_k."""
    pairs = {pair: m for m, pair in enumerate(dict.fromkeys(pair for _, read in terms for pair in read.pairs))}
    has_pair = np.zeros((len(terms), len(pairs)))
    for k, (_, read) in enumerate(terms):
        has_pair[k, [pairs[pair] for pair in read.pairs]] = 1
    totals = _sum(c * row for (c, _), row in zip(terms, has_pair, strict=True))
    i, j = np.array(list(pairs)).T
    if is_known(totals) or along_coordinates or size > DENSE_LIMIT:
        return _over_coordinates(i, j, totals, size)
    return _polarised(i, j, totals, size)


def _over_coordinates(i: np.ndarray, j: np.ndarray, totals: Any, size: int) -> Matrix:
    """A by its entries; as a diagonal if it has nothing else."""
    if (i == j).all():
        return Diagonal(_put((size,), i, totals))
    # Pairs have i ≤ j: the whole coefficient of ∂_i ∂_j is above the diagonal, and half of it goes below.
    a = _put((size, size), (i, j), totals)
    return Blocks(((a + a.T)[None] / 2,), float(np.finfo(np.float64).eps))


def _put(shape: tuple[int, ...], at: Any, values: Any) -> Any:
    """An array of zeros with values at some places; known if the values are."""
    if not is_known(values):
        return jnp.zeros(shape, values.dtype).at[at].set(values)
    array = np.zeros(shape)
    array[at] = values
    return array


def _polarised(i: np.ndarray, j: np.ndarray, totals: Any, size: int) -> LowRank:
    """∂_i ∂_j = ½ ((∂_i + ∂_j)² − ∂_i² − ∂_j²): directions that are known, with weights that are not."""
    coordinates, mixed, units = np.unique([i, j]), i != j, np.eye(size)
    half = totals[mixed] / 2
    # `add`, not `set`: a coordinate is in several pairs.
    squares = jnp.zeros(size, totals.dtype).at[i].add(np.where(mixed, -0.5, 1.0) * totals).at[j[mixed]].add(-half)
    rows = np.concatenate([units[coordinates], units[i[mixed]] + units[j[mixed]]])
    return LowRank(rows, jnp.concatenate([squares[coordinates], half]))

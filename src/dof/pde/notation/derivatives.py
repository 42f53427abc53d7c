"""Derivatives that a residual reads of its fields, each of them a linear operator, and sums of them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.directions.factor import DENSE_LIMIT, factor, is_known
from dof.directions.sparse_rows import KnownRows
from dof.operators.coefficients import Blocks, Diagonal, Evaluated, Matrix, Rows, map_linear
from dof.operators.coordinates import Space
from dof.typing import Array


@dataclass(frozen=True)
class First:
    """∂/∂x_i"""

    i: int


@dataclass(frozen=True)
class Gradient:
    """∂/∂x_i for several i, on the last axis."""

    places: tuple[int, ...]


@dataclass(frozen=True)
class Second:
    """Σ ∂²/∂x_i∂x_j over pairs i ≤ j: one pair for u.xx or u.xy, all of a kind for a Laplacian."""

    pairs: tuple[tuple[int, int], ...]

    @property
    def is_diagonal(self) -> bool:
        return all(i == j for i, j in self.pairs)


@dataclass(frozen=True, eq=False)
class Applied:
    """A `dof.Operator` of the user's. The same object is applied once only."""

    operator: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Applied) and other.operator is self.operator

    def __hash__(self) -> int:
        return id(self.operator)


Read = First | Gradient | Second | Applied

Users = dict[Applied, Evaluated]
"""The operators of the user at the point."""


def pair(i: int, j: int) -> Second:
    return Second(((min(i, j), max(i, j)),))


def laplacian(places: Sequence[int]) -> Second:
    return Second(tuple((i, i) for i in places))


def unit(i: int, size: int) -> np.ndarray:
    vector = np.zeros(size)
    vector[i] = 1
    return vector


def combined(terms: Sequence[tuple[Any, Read]], users: Users, space: Space, along_coordinates: bool) -> Evaluated:
    """Σ c_k D_k at the point. A c_k is a float if it is known. If all are, A is factored as a whole; if not, its
    directions are the coordinates, or those of its parts."""
    terms = [(c, read) for c, read in terms if not (isinstance(c, float) and c == 0)]
    parts = [_scaled(users[r], c, space.size, along_coordinates) for c, r in terms if isinstance(r, Applied)]
    parts += [Evaluated((), c * unit(r.i, space.size), None) for c, r in terms if isinstance(r, First)]
    if second := [(c, r) for c, r in terms if isinstance(r, Second)]:
        parts.append(Evaluated((second_order(second, space, along_coordinates),), None, None))
    return Evaluated(tuple(m for part in parts for m in part.a), _sum(p.b for p in parts), _sum(p.c for p in parts))


def _sum(parts: Iterable[Array | None]) -> Array | None:
    found = [part for part in parts if part is not None]
    return reduce(operator.add, found) if found else None


def _scaled(user: Evaluated, c: Any, size: int, along_coordinates: bool) -> Evaluated:
    """c L. A known A is factored before, so that it keeps its rank if c is not known."""
    a = user.a
    is_plain = all(is_known(matrix) and not any(map(np.iscomplexobj, jax.tree.leaves(matrix))) for matrix in a)
    if a and is_plain and not isinstance(c, float) and not along_coordinates and size <= DENSE_LIMIT:
        q = factor(a, size)
        rows = [group.dense() if isinstance(group, KnownRows) else group for group in q.rows]
        a = (Rows(np.concatenate(rows), q.weights),)
    times = lambda v: np.asarray(c * v) if isinstance(c, float) and isinstance(v, np.ndarray) else c * v  # noqa: E731
    b, c0 = (None if v is None else times(v) for v in (user.b, user.c))
    return Evaluated(tuple(map_linear(times, matrix) for matrix in a), b, c0)


def second_order(terms: Sequence[tuple[Any, Second]], space: Space, along_coordinates: bool) -> Matrix:
    """Σ_k c_k Σ_(i,j) ∂_i ∂_j over the pairs of read k."""
    pairs = {pair: m for m, pair in enumerate(dict.fromkeys(pair for _, read in terms for pair in read.pairs))}
    inside = np.zeros((len(terms), len(pairs)))
    for k, (_, read) in enumerate(terms):
        inside[k, [pairs[pair] for pair in read.pairs]] = 1
    totals = _sum(c * line for (c, _), line in zip(terms, inside, strict=True))
    i, j = np.array(list(pairs)).T
    if isinstance(totals, np.ndarray) or along_coordinates or space.size > DENSE_LIMIT:
        return _over_coordinates(i, j, totals, space.size)
    return _polarised(i, j, totals, space.size)


def _over_coordinates(i: np.ndarray, j: np.ndarray, totals: Any, size: int) -> Matrix:
    """A, as its diagonal if it has nothing else."""
    if (i == j).all():
        return Diagonal(_put((size,), i, totals))
    a = _put((size, size), (i, j), totals)
    return Blocks(((a + a.T)[None] / 2,), float(np.finfo(np.float64).eps))


def _put(shape: tuple[int, ...], at: Any, values: Any) -> Any:
    """Values at places of zeros: known if they are."""
    if not isinstance(values, np.ndarray):
        return jnp.zeros(shape, values.dtype).at[at].set(values)
    array = np.zeros(shape)
    array[at] = values
    return array


def _polarised(i: np.ndarray, j: np.ndarray, totals: Any, size: int) -> Rows:
    """∂_i ∂_j = ½ ((∂_i + ∂_j)² − ∂_i² − ∂_j²): directions that are known, with weights that are not."""
    coordinates, mixed, units = np.unique([i, j]), i != j, np.eye(size)
    half = totals[mixed] / 2
    squares = jnp.zeros(size, totals.dtype).at[i].add(np.where(mixed, -0.5, 1.0) * totals).at[j[mixed]].add(-half)
    rows = np.concatenate([units[coordinates], units[i[mixed]] + units[j[mixed]]])
    return Rows(rows, jnp.concatenate([squares[coordinates], half]))

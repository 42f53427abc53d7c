"""A = Lᵀ Q L for all channels: the directions along which tangents are taken, and the form that sums them.

What is known is factored once, in double precision, and equal directions are shared (`dof.directions`). What is learned
is never factored: the coordinates are its directions, and A is their form. What differs from point to point is the sum
of ∂_k (A ∂)_k over the coordinates: pairs of a coordinate and a column of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dof.directions.factor import factor
from dof.directions.matrix_forms import Blocks, Diagonal, LowRank
from dof.directions.shared import share_directions
from dof.directions.sparse_rows import dense_rows
from dof.directions.weight_runs import Run, runs_of
from dof.torch.cache_by_coefficients import Kept, content
from dof.torch.coefficients import Channel, PointMatrix, PointRows, is_known
from dof.torch.quadratic_form import Coupling, Pairs, QuadraticForm


def seed_parts(channels: Sequence[Channel], x: Tensor) -> tuple[Tensor | None, QuadraticForm, Tensor | None]:
    """(tangents of x, form, applied to x)."""
    table = _Directions(len(channels), x)
    table.add_known([[m for m in c.matrices if is_known(m)] for c in channels])
    for number, channel in enumerate(channels):
        for matrix in channel.matrices:
            if not is_known(matrix):
                table.add(number, matrix)
    return *table.tangents_and_form(), _applied(channels, x)


def _applied(channels: Sequence[Channel], x: Tensor) -> Tensor | None:
    """b of all channels, (c, …, N), of size one on the axes of points if none depends on x."""
    given = [None if c.b is None else torch.as_tensor(c.b, device=x.device).to(x.dtype) for c in channels]
    if all(b is None for b in given):
        return None
    full = [x.new_zeros(x.shape[-1:]) if b is None else b.reshape(-1) if b.dim() == 0 else b for b in given]
    ndim = max(b.dim() for b in full)
    lifted = [b.reshape(*[1] * (ndim - b.dim()), *b.shape) for b in full]
    stack = torch.stack(torch.broadcast_tensors(*lifted))
    return stack.reshape(len(full), *[1] * (x.dim() - ndim), *stack.shape[1:])


_FACTORED = Kept()


def _factored(terms: Sequence[Sequence[Any]], n: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows (r, N), weights (c, r)) of what is known, factored once, since eigenvectors take N³ steps."""

    def factors() -> tuple[np.ndarray, np.ndarray]:
        shared = share_directions([factor(list(each), n) for each in terms])
        rows = np.asarray(dense_rows(shared.rows)) if shared.size else np.zeros((0, n))
        return rows, np.asarray(shared.weights)

    return _FACTORED.of((n, content(terms)), factors)


class _Directions:
    """Rows (k, …, N) and the weights of each channel, piece by piece."""

    def __init__(self, channels: int, x: Tensor) -> None:
        self.channels, self.x, self.n = channels, x, x.shape[-1]
        self.rows: list[Tensor] = []
        self.weights: list[Any] = []
        self.couplings: list[Coupling] = []
        self.pairs: list[Pairs] = []
        self.size, self._coordinates_start, self._rows = 0, None, None

    def add_known(self, terms: Sequence[Sequence[Any]]) -> None:
        rows, weights = _factored(terms, self.n)
        if len(rows):
            self._append(torch.as_tensor(rows), weights)
            self._rows = rows

    def add(self, channel: int, matrix: Any) -> None:
        if isinstance(matrix, (PointRows, LowRank)):
            self._append(matrix.rows, self._for_channel(channel, matrix.weights))
        elif isinstance(matrix, PointMatrix):
            start = self._coordinates()
            self.pairs.append(Pairs(channel, start, self.size, self.n))
            self._append(matrix.columns, np.zeros((self.channels, self.n)))
        elif isinstance(matrix, Diagonal):
            self._append(torch.eye(self.n), self._for_channel(channel, matrix.entries))
        else:
            self._add_blocks(channel, matrix)

    def _add_blocks(self, channel: int, matrix: Blocks) -> None:
        start = self._coordinates()
        for stack in matrix.stacks:
            self.couplings.append(Coupling(torch.as_tensor(stack).to(self._real), channel, start))
            start += stack.shape[0] * stack.shape[1]

    def _coordinates(self) -> int:
        """The number of the first coordinate direction."""
        if self._coordinates_start is None:
            self._coordinates_start = self.size
            self._append(torch.eye(self.n), np.zeros((self.channels, self.n)))
        return self._coordinates_start

    @property
    def _real(self) -> torch.dtype:
        return self.x.real.dtype if self.x.is_complex() else self.x.dtype

    def _for_channel(self, channel: int, weights: Any) -> Any:
        """Weights (k,) of one channel, zero for the others: (c, k)."""
        w = torch.as_tensor(weights, device=self.x.device).to(self._real)
        return torch.stack([w if n == channel else torch.zeros_like(w) for n in range(self.channels)])

    def _append(self, rows: Any, weights: Any) -> None:
        self.rows.append(rows)
        self.weights.append(weights)
        self.size += len(rows)

    @property
    def _known_rows(self) -> np.ndarray | None:
        """The rows, if all are known."""
        return self._rows if len(self.rows) == 1 else None

    def _runs(self) -> tuple[Run, ...] | None:
        """The known weights of neighbouring directions; None if some are learned."""
        is_known = all(isinstance(w, np.ndarray) for w in self.weights)
        return runs_of(np.concatenate([np.zeros((self.channels, 0)), *self.weights], 1)) if is_known else None

    def tangents_and_form(self) -> tuple[Tensor | None, QuadraticForm]:
        x = self.x
        is_plain = self.channels == 1 and not self.couplings and not self.pairs and all(map(_is_one, self.weights))
        each = [torch.as_tensor(w, device=x.device).to(self._real) for w in self.weights]
        weights = None if is_plain else torch.cat([x.new_zeros(self.channels, 0, dtype=self._real), *each], 1)
        beside = (tuple(self.couplings), tuple(self.pairs))
        known = (None, None) if any(beside) else (self._runs(), self._known_rows)
        form = QuadraticForm(weights, self.size, self.channels, *beside, *known)
        stacks = [_over_points(rows.to(dtype=x.dtype, device=x.device), x) for rows in self.rows]
        if not stacks:
            return None, form
        common = torch.broadcast_shapes(*(stack.shape[1:] for stack in stacks))
        return torch.cat([stack.expand(len(stack), *common) for stack in stacks]), form


def _is_one(weights: Any) -> bool:
    return isinstance(weights, np.ndarray) and bool((weights == 1).all())


def _over_points(rows: Tensor, x: Tensor) -> Tensor:
    """Rows (k, N) as (k, 1, …, 1, N)."""
    return rows.reshape(len(rows), *[1] * (x.dim() + 1 - rows.dim()), *rows.shape[1:])

"""Directions shared by several operators, so that one propagation serves them all."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from dof.array_types import Array
from dof.coefficients import concatenate
from dof.factor import Quadratic
from dof.form import Coupling, Form


def share(quadratics: Sequence[Quadratic], n: int) -> tuple[Array, Form]:
    """The directions (r, N) of all quadratics together, and the form that has one channel for each."""
    if len(quadratics) == 1:
        (only,) = quadratics
        return only.rows, Form(only.weights[None], tuple(Coupling(b, 0, s) for s, b in only.couplings))
    table = _Table(n)
    placed = [table.place(q) for q in quadratics]
    rows = table.rows()
    channels = [_channel(len(rows), where, weights) for where, weights in placed]
    couplings = tuple(
        Coupling(blocks, channel, int(where[start]))
        for channel, (q, (where, _)) in enumerate(zip(quadratics, placed, strict=True))
        for start, blocks in q.couplings
    )
    return rows, Form(concatenate([c[None] for c in channels], axis=0), couplings)


def _channel(size: int, where: np.ndarray, weights: Array) -> Array:
    """Weights scattered to the places of their directions."""
    if isinstance(weights, np.ndarray):
        channel = np.zeros(size)
        np.add.at(channel, where, weights)
        return channel
    return jnp.zeros(size, weights.dtype).at[where].add(weights)


class _Table:
    """Directions that were met, each kept once up to its length."""

    def __init__(self, n: int) -> None:
        self.blocks: list[Array] = [np.zeros((0, n))]
        self.met: dict[bytes, int] = {}
        self.size = 0

    def rows(self) -> Array:
        return concatenate(self.blocks, axis=0)

    def place(self, q: Quadratic) -> tuple[np.ndarray, Array]:
        """(places of the directions of q in the table, weights for the directions as they stand there)."""
        if not isinstance(q.rows, np.ndarray) or (q.couplings and self._would_scatter(q.rows)):
            return self._append(q.rows), q.weights
        lengths = np.linalg.norm(q.rows, axis=1)
        units = [_oriented(row / length) if length else row for row, length in zip(q.rows, lengths, strict=True)]
        return np.array([self._place_unit(unit) for unit in units], dtype=int), q.weights * lengths**2

    def _would_scatter(self, rows: np.ndarray) -> bool:
        """A coupling needs its directions in one run: they are shared with an earlier run, or start a new one."""
        met = [self.met.get(_key(row)) for row in rows]
        return any(m is not None for m in met) and met != list(range(met[0] or 0, (met[0] or 0) + len(met)))

    def _place_unit(self, unit: np.ndarray) -> int:
        key = _key(unit)
        if key not in self.met:
            self.met[key] = self.size
            self._append(unit[None])
        return self.met[key]

    def _append(self, rows: Array) -> np.ndarray:
        self.blocks.append(rows)
        self.size += len(rows)
        return np.arange(self.size - len(rows), self.size)


def _oriented(unit: np.ndarray) -> np.ndarray:
    """u or −u, whichever has a positive first entry: both are the same direction to a sum of squares."""
    return unit * np.sign(unit[np.flatnonzero(unit)[0]])


def _key(unit: np.ndarray) -> bytes:
    """Equal for what differs by rounding only."""
    return (np.round(unit, 14) + 0.0).tobytes()

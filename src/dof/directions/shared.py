"""Directions shared by several operators, so that one propagation serves them all."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from dof.directions.factor import Quadratic
from dof.directions.sparse_rows import Group, KnownRows, count
from dof.operators.coefficients import concatenate
from dof.triples.couplings import Coupling
from dof.triples.quadratic_form import Form
from dof.typing import Array


def share(quadratics: Sequence[Quadratic]) -> tuple[list[Group], Form]:
    """The directions of all quadratics together, and the form that has one channel for each."""
    table = _Table()
    alone = sum(count(q.rows) > 0 for q in quadratics) <= 1
    placed = [table.append(q) if alone else table.place(q) for q in quadratics]
    channels = [_channel(table.size, where, weights) for where, weights in placed]
    couplings = tuple(
        Coupling(blocks, channel, int(where[start]))
        for channel, (q, (where, _)) in enumerate(zip(quadratics, placed, strict=True))
        for start, blocks in q.couplings
    )
    return table.groups, Form(concatenate([c[None] for c in channels], axis=0), couplings)


def _channel(size: int, where: np.ndarray, weights: Array) -> Array:
    """Weights scattered to the places of their directions."""
    if len(where) == size and (where == np.arange(size)).all():
        return weights
    if isinstance(weights, np.ndarray):
        channel = np.zeros(size)
        np.add.at(channel, where, weights)
        return channel
    return jnp.zeros(size, weights.dtype).at[where].add(weights)


class _Table:
    """Directions that were met, each kept once up to its length."""

    def __init__(self) -> None:
        self.groups: list[Group] = []
        self.met: dict[bytes, int] = {}
        self.size = 0

    def append(self, q: Quadratic) -> tuple[np.ndarray, Array]:
        """As they stand."""
        return np.concatenate([np.zeros(0, int), *map(self._append, q.rows)]), q.weights

    def place(self, q: Quadratic) -> tuple[np.ndarray, Array]:
        """(places of the directions of q in the table, weights for the directions as they stand there)."""
        where, scales = [np.zeros(0, int)], [np.zeros(0)]
        for rows in q.rows:
            units, lengths = _units(rows) if isinstance(rows, KnownRows) else ([], np.ones(len(rows)))
            if not units or (q.couplings and self._would_scatter(units)):
                where.append(self._append(rows))
                scales.append(np.ones(len(rows)))
            else:
                where.append(np.array([self._place_unit(unit) for unit in units], dtype=int))
                scales.append(lengths**2)
        return np.concatenate(where), q.weights * np.concatenate(scales)

    def _would_scatter(self, units: Sequence[KnownRows]) -> bool:
        """A coupling needs its directions in one run: they are shared with an earlier run, or start a new one."""
        met = [self.met.get(_key(unit)) for unit in units]
        return any(m is not None for m in met) and met != list(range(met[0] or 0, (met[0] or 0) + len(met)))

    def _place_unit(self, unit: KnownRows) -> int:
        key = _key(unit)
        if key not in self.met:
            self.met[key] = self.size
            self._append(unit)
        return self.met[key]

    def _append(self, rows: Group) -> np.ndarray:
        self.groups.append(rows)
        self.size += len(rows)
        return np.arange(self.size - len(rows), self.size)


def _units(rows: KnownRows) -> tuple[list[KnownRows], np.ndarray]:
    """Each row by itself with length one, and the lengths. u and −u are the same direction to a sum of squares."""
    lines = rows.lines()
    lengths = np.array([np.linalg.norm(entries) for _, entries in lines])
    units = [
        KnownRows(1, rows.n, 0 * columns, columns, entries / (length * np.sign(entries[0])) if length else entries)
        for (columns, entries), length in zip(lines, lengths, strict=True)
    ]
    return units, lengths


def _key(unit: KnownRows) -> bytes:
    """Equal for what differs by rounding only."""
    kept = np.round(unit.entry, 14) != 0
    return unit.column[kept].tobytes() + np.round(unit.entry[kept], 14).tobytes()

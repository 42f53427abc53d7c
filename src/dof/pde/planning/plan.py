"""The cheapest single propagation that gives all derivatives a residual reads.

Terms whose coefficients do not depend on the fields become one operator for each equation. If they are known when
tracing, it has as many directions as its matrix has rank; if they depend on the point or on traced parameters, those
of its derivatives. Others keep a channel each; mixed derivatives go along sums of coordinates. First derivatives are
read off the tangents where a direction is their coordinate, and else take a channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import jax
import numpy as np

from dof.directions.factor import factor
from dof.directions.shared import share
from dof.directions.sparse_rows import KnownRows
from dof.operators.coefficients import Evaluated, Rows
from dof.operators.coordinates import Space
from dof.pde.notation.derivatives import Applied, First, Gradient, Read, Second, Users, combined, pair, unit
from dof.pde.planning.merge import Merge
from dof.pipeline import real_channels

Sum = tuple[tuple[float, int], ...]
"""Σ weight · channel"""
Along = dict[int, tuple[int, float]]
"""(k, scale) for each coordinate i of which direction k is a multiple: scale · e_i."""


@dataclass(frozen=True)
class Plan:
    """How many directions and channels are propagated, and where each derivative is found in what comes out.

    along: of the coordinates that tangents are taken along. sums: of the reads that are sums of channels. merged: the
    reads that the channels in front stand for. where: which of these each leaf of the residual has, as in `Merge`.
    """

    reads: tuple[Read, ...]
    directions: int
    channels: int
    along: Along
    sums: dict[Read, Sum]
    merged: tuple[Read, ...]
    where: tuple[np.ndarray, ...]

    @property
    def columns(self) -> int:
        """What goes through every layer: the value, the tangents, the channels."""
        return 1 + self.directions + self.channels

    def __str__(self) -> str:
        merged = f" ({len(self.merged)} derivatives merged)" if self.merged else ""
        return (
            f"{self.directions} directions, {self.channels} channels{merged}: the cost of {self.columns} forward passes"
        )


Planned = tuple[Plan, list[Evaluated]]
"""With the operators at the point, one channel each."""


def make_plan(point: Any, reads: Sequence[Read], merges: Sequence[Merge]) -> Planned:
    space = Space.of(point)
    users = {read: read.operator.at(point, space) for read in reads if isinstance(read, Applied)}
    # Of equals the first is taken: sums of squares along directions cost less than of products of any two.
    choices = [*product(merges, (True, False), (False, True)), *product((None,), (True, False), (True,))]

    def columns(choice: Any) -> int:
        """Found in a trace of its own, which leaves nothing behind."""
        found: list[int] = []
        jax.eval_shape(lambda: found.append(_finished(reads, users, space, *choice)[0].columns))
        return found[0]

    return _finished(reads, users, space, *min(choices, key=columns))


def _finished(
    reads: Sequence[Read], users: Users, space: Space, merge: Merge | None, polarised: bool, along_coordinates: bool
) -> Planned:
    """With channels for the reads that are not merged."""
    merged, where, rows = (merge.reads, merge.where, merge.rows) if merge else ((), (), ())
    table = _Channels(space, users)
    for row in rows:
        table.operators.append(combined(list(zip(row, merged, strict=True)), users, space, along_coordinates))
    rest = [read for read in reads if read not in merged]
    sums: dict[Read, Sum] = {}
    for read in rest:
        if isinstance(read, Second) and polarised and not read.is_diagonal:
            sums[read] = table.mixed(read)
        elif isinstance(read, (Second, Applied)):
            sums[read] = table.own(read)
    directions, along = directions_of(table.operators, space.size)
    for read in rest:
        if isinstance(read, First) and read.i not in along:
            sums[read] = table.own(read)
    plan = Plan(tuple(reads), directions, len(table.operators), along, sums, merged, where)
    return plan, table.operators


class _Channels:
    """Operators, each of which is there once."""

    def __init__(self, space: Space, users: Users) -> None:
        self.space, self.users = space, users
        self.operators: list[Evaluated] = []
        self._places: dict[Any, int] = {}

    def _add(self, key: Any, operator: Evaluated) -> Sum:
        if key not in self._places:
            self._places[key] = len(self.operators)
            self.operators.append(operator)
        return ((1.0, self._places[key]),)

    def own(self, read: Read) -> Sum:
        return self._add(read, combined([(1.0, read)], self.users, self.space, True))

    def mixed(self, read: Second) -> Sum:
        """∂_i ∂_j = ½ ((∂_i + ∂_j)² − ∂_i² − ∂_j²)"""
        ((i, j),) = read.pairs
        row = unit(i, self.space.size) + unit(j, self.space.size)
        ((_, both),) = self._add((i, j), Evaluated((Rows(row[None], np.ones(1)),), None, None))
        return ((0.5, both), *((-0.5, self.own(pair(k, k))[0][1]) for k in (i, j)))


def directions_of(operators: Sequence[Evaluated], size: int) -> tuple[int, Along]:
    """How many directions the operators are propagated along, and which of them are coordinates."""
    if not operators:
        return 0, {}
    groups, _ = share([factor(channel.a, size) for channel in real_channels(operators)[0]])
    along: Along = {}
    first = 0
    for group in groups:
        for k, (columns, entries) in enumerate(group.lines() if isinstance(group, KnownRows) else []):
            if len(columns) == 1:
                along.setdefault(int(columns[0]), (first + k, float(entries[0])))
        first += len(group)
    return first, along


def gradient_places(plan: Plan, read: Gradient) -> tuple[np.ndarray, np.ndarray] | None:
    """(directions, scales) of a gradient that can be read off tangents."""
    if not all(i in plan.along for i in read.places):
        return None
    found = [plan.along[i] for i in read.places]
    return np.array([k for k, _ in found]), np.array([scale for _, scale in found])

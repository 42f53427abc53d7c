"""The cheapest single propagation that gives all derivatives a residual reads.

Derivatives that enter linearly become one operator for each equation. If their coefficients are known while tracing, it
has as many directions as its matrix has rank; if they depend on the point or on traced parameters, those of its
derivatives. Other derivatives keep a channel each; mixed ones go along sums of coordinates. First derivatives are read
off the tangents where a direction is their coordinate, and else take a channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from dof.extend import Coefficients, Coordinates, LowRank, prepare
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, Second, pair
from dof.pde.planning.combined_coefficients import Users, combined, unit
from dof.pde.planning.merged_derivatives import Merge

ChannelSum = tuple[tuple[float, int], ...]
"""Σ weight · channel."""


@dataclass(frozen=True)
class Plan:
    """How many directions and channels are propagated, and where each derivative is found in what comes out.

    Attributes:
        reads: the derivatives that the residual reads.
        directions: how many directions are propagated.
        channels: how many operators are propagated.
        along: (k, scale) for each coordinate i that direction k = scale · e_i is along.
        sums: for each derivative that is a sum of channels, these.
        merged: the derivatives that the first channels stand for.
        where: which of these channels each leaf of the residual has, as in `Merge`.
        nested: the derivatives that are operators of their own, applied factor by factor.
    """

    reads: tuple[Derivative, ...]
    directions: int
    channels: int
    along: dict[int, tuple[int, float]]
    sums: dict[Derivative, ChannelSum]
    merged: tuple[Derivative, ...]
    where: tuple[np.ndarray, ...]
    nested: tuple[Derivative, ...] = ()

    @property
    def columns(self) -> int:
        """What goes through every layer: the value, the tangents, the channels."""
        return 1 + self.directions + self.channels

    @property
    def wants_tangents(self) -> bool:
        """Whether some derivative is read off the tangents."""
        return any(isinstance(r, (First, Gradient)) and r not in self.merged for r in self.reads)

    def __str__(self) -> str:
        merged = f" ({len(self.merged)} derivatives merged)" if len(self.merged) > 1 else ""
        counted = lambda n, word: f"{n} {word}{'s' * (n != 1)}"  # noqa: E731
        nested = f"; besides, {counted(len(self.nested), 'derivative')} by nesting" if self.nested else ""
        cost = f"the cost of {self.columns} forward passes"
        what = f"{counted(self.directions, 'direction')}, {counted(self.channels, 'channel')}"
        return f"{what}{merged}: {cost}{nested}"

    def gradient_directions(self, read: Gradient) -> tuple[np.ndarray, np.ndarray] | None:
        """(directions, scales) off whose tangents a gradient is read; None if some coordinate has none."""
        if not all(i in self.along for i in read.places):
            return None
        found = [self.along[i] for i in read.places]
        return np.array([k for k, _ in found]), np.array([scale for _, scale in found])


class Choice(NamedTuple):
    """What a plan may choose.

    Attributes:
        merge: the number of the merge that is used; None for none.
        polarised: whether mixed derivatives go along sums of two coordinates, or are coupled.
        along_coordinates: whether a matrix that is not known has the coordinates as directions, or those of its parts.
    """

    merge: int | None
    polarised: bool
    along_coordinates: bool


class Planned(NamedTuple):
    """A plan with the propagation that it stands for; None if nothing is propagated.

    For a `ColumnPlan` the propagation is the list of the symbols that are read off.
    """

    plan: Plan
    prepared: Any
    choice: Choice


def make_plan(
    point: Any, reads: Sequence[Derivative], merges: Sequence[Merge], earlier: Choice | None = None
) -> Planned:
    """The cheapest plan.

    Args:
        point: the point.
        reads: the derivatives that the residual reads.
        merges: ways to merge those that enter linearly.
        earlier: what was chosen for the same residual before; if it is possible, no other choice is looked at.
    """
    coordinates = Coordinates.of(point)
    users = {read: read.operator.at(point, coordinates) for read in reads if isinstance(read, Applied)}
    choices = _choices(reads, merges)
    # A choice that is remembered need not be possible any more: the residual may read something else now.
    considered = [choice for choice in choices if choice == earlier] or choices
    planned = (_planned(reads, users, coordinates, merges, choice) for choice in considered)
    return min(planned, key=lambda p: p.plan.columns)


def _choices(reads: Sequence[Derivative], merges: Sequence[Merge]) -> list[Choice]:
    """All choices that differ. Of equal plans the first is taken: sums of squares cost less than sums of pairs."""
    found = []
    for number in (*range(len(merges)), None):
        merge = None if number is None else merges[number]
        rest = [read for read in reads if merge is None or read not in merge.reads]
        has_mixed = any(isinstance(read, Second) and not read.is_diagonal for read in rest)
        # `along_coordinates` is read for merged operators only, and changes nothing where their coefficients are known.
        orders = (False, True) if merge is not None and not merge.is_known else (True,) if merge is None else (False,)
        found += [Choice(number, *both) for both in product((True, False) if has_mixed else (True,), orders)]
    return found


def _planned(
    reads: Sequence[Derivative], users: Users, coordinates: Coordinates, merges: Sequence[Merge], choice: Choice
) -> Planned:
    merge = None if choice.merge is None else merges[choice.merge]
    merged, where, rows = (merge.reads, merge.where, merge.rows) if merge else ((), (), ())
    table = _Channels(coordinates, users)
    # Merged operators come first (`by_propagation` relies on it), slopes last (`sums` below counts on it).
    for row in rows:
        terms = list(zip(row, merged, strict=True))
        table.operators.append(combined(terms, users, coordinates, choice.along_coordinates))
    rest = [read for read in reads if read not in merged]
    sums: dict[Derivative, ChannelSum] = {}
    for read in rest:
        if isinstance(read, Second) and choice.polarised and not read.is_diagonal:
            sums[read] = table.mixed(read)
        elif isinstance(read, (Second, Applied)):
            sums[read] = table.own(read)
    prepared = prepare(table.operators, coordinates) if table.operators else None
    along = prepared.directions.along_coordinates() if prepared else {}
    # A first derivative along a direction that is propagated anyway is free; others cost one column each.
    first = [read for read in rest if isinstance(read, First) and read.i not in along]
    sums.update((read, ((1.0, len(table.operators) + n),)) for n, read in enumerate(first))
    slopes = [Coefficients((), unit(read.i, coordinates.size), None) for read in first]
    if slopes:
        prepared = prepared.with_first_order(slopes) if prepared else prepare(slopes, coordinates)
    directions = prepared.directions.size if prepared else 0
    plan = Plan(tuple(reads), directions, len(table.operators) + len(slopes), along, sums, merged, where)
    return Planned(plan, prepared, choice)


class _Channels:
    """Operators, each of which is there once."""

    def __init__(self, coordinates: Coordinates, users: Users) -> None:
        self.coordinates, self.users = coordinates, users
        self.operators: list[Coefficients] = []
        self._places: dict[Any, int] = {}

    def _add(self, key: Any, operator: Coefficients) -> ChannelSum:
        if key not in self._places:
            self._places[key] = len(self.operators)
            self.operators.append(operator)
        return ((1.0, self._places[key]),)

    def own(self, read: Derivative) -> ChannelSum:
        return self._add(read, combined([(1.0, read)], self.users, self.coordinates, True))

    def mixed(self, read: Second) -> ChannelSum:
        """∂_i ∂_j = ½ ((∂_i + ∂_j)² − ∂_i² − ∂_j²)."""
        ((i, j),) = read.pairs
        # Other reads share the squares ∂_i² and ∂_j², along whose directions first derivatives are free.
        row = unit(i, self.coordinates.size) + unit(j, self.coordinates.size)
        ((_, both),) = self._add((i, j), Coefficients((LowRank(row[None], np.ones(1)),), None, None))
        return ((0.5, both), *((-0.5, self.own(pair(k, k))[0][1]) for k in (i, j)))

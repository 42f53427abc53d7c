"""The cheapest single propagation that gives all derivatives a residual reads.

Terms whose coefficients do not depend on the fields become one operator for each equation, with as many directions as
its matrix has rank. Others keep a channel each; mixed derivatives go along sums of coordinates. First derivatives are
read off the tangents where a direction is their coordinate, and else take a channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

import dof
from dof.directions import KnownRows
from dof.factor import factor
from dof.pde.merge import Merge
from dof.pde.reads import Applied, First, Gradient, Read, Second, pair
from dof.share import share
from dof.space import Space

Sum = tuple[tuple[float, int], ...]
"""Σ weight · channel"""
Along = dict[int, tuple[int, float]]
"""(k, scale) for each coordinate i of which direction k is a multiple: scale · e_i."""


@dataclass(frozen=True)
class Plan:
    """What is propagated, and where each derivative is found in what comes out.

    operators: one channel each. along: of the coordinates that tangents are taken along. channels: of the reads that
    are sums of some. merge: the reads that the operators in front stand for.
    """

    reads: tuple[Read, ...]
    operators: tuple[Any, ...]
    directions: int
    along: Along
    channels: dict[Read, Sum]
    merge: Merge | None = None

    @property
    def merged(self) -> tuple[Read, ...]:
        return self.merge.reads if self.merge else ()

    @property
    def columns(self) -> int:
        """What goes through every layer: the value, the tangents, the channels."""
        return 1 + self.directions + len(self.operators)

    def __str__(self) -> str:
        merged = f" ({len(self.merged)} derivatives merged)" if self.merged else ""
        return (
            f"{self.directions} directions, {len(self.operators)} channels{merged}: "
            f"the cost of {self.columns} forward passes"
        )


def make_plan(size: int, reads: Sequence[Read], merge: Merge | None) -> Plan:
    merges = (None,) if merge is None else (merge, None)
    plans = [finished(size, reads, merge, polarised) for merge in merges for polarised in (True, False)]
    return min(plans, key=lambda plan: plan.columns)


def finished(size: int, reads: Sequence[Read], merge: Merge | None, polarised: bool) -> Plan:
    """With channels for the reads that are not merged."""
    operators = [merged_operator(size, merge.reads, row) for row in merge.rows] if merge else []
    rest = [read for read in reads if merge is None or read not in merge.reads]
    table = _Channels(size, operators)
    channels: dict[Read, Sum] = {}
    for read in rest:
        if isinstance(read, Second):
            channels[read] = table.mixed(read) if polarised and not read.is_diagonal else table.own(read)
        elif isinstance(read, Applied):
            channels[read] = table.add(read, read.operator)
    directions, along = directions_of(table.operators, size)
    for read in rest:
        if isinstance(read, First) and read.i not in along:
            channels[read] = table.add(read, dof.Operator(b=unit(read.i, size)))
    return Plan(tuple(reads), tuple(table.operators), directions, along, channels, merge)


class _Channels:
    """Operators, each of which is there once."""

    def __init__(self, size: int, operators: Sequence[Any]) -> None:
        self.size, self.operators = size, list(operators)
        self._places: dict[Any, int] = {}

    def add(self, key: Any, operator: Any) -> Sum:
        if key not in self._places:
            self._places[key] = len(self.operators)
            self.operators.append(operator)
        return ((1.0, self._places[key]),)

    def own(self, read: Second) -> Sum:
        pairs = dict.fromkeys(read.pairs, 1.0)
        return self.add(read, dof.Operator(a=symmetric(pairs, self.size)))

    def mixed(self, read: Second) -> Sum:
        """∂_i ∂_j = ½ ((∂_i + ∂_j)² − ∂_i² − ∂_j²)"""
        ((i, j),) = read.pairs
        row = unit(i, self.size) + unit(j, self.size)
        ((_, both),) = self.add((i, j), dof.Operator(a=dof.Factored(row[None])))
        return ((0.5, both), *((-0.5, self.own(pair(k, k))[0][1]) for k in (i, j)))


def merged_operator(size: int, reads: Sequence[Read], coefficients: np.ndarray) -> dof.Operator:
    """Σ_k c_k D_k"""
    first, parts, total = np.zeros(size), {}, dof.Operator()
    for read, c in zip(reads, coefficients.tolist(), strict=True):
        if isinstance(read, First):
            first[read.i] += c
        elif isinstance(read, Applied):
            total = total + c * read.operator
        elif isinstance(read, Second):
            for places in read.pairs:
                parts[places] = parts.get(places, 0.0) + c
    return total + dof.Operator(a=symmetric(parts, size), b=first if first.any() else None)


def symmetric(pairs: dict[tuple[int, int], float], size: int) -> np.ndarray | None:
    """A, as its diagonal if it has nothing else."""
    kept = {places: c for places, c in pairs.items() if c}
    if not kept:
        return None
    i, j = np.array(list(kept)).T
    if (i == j).all():
        diagonal = np.zeros(size)
        diagonal[i] = list(kept.values())
        return diagonal
    a = np.zeros((size, size))
    a[i, j] = list(kept.values())
    return (a + a.T) / 2


def unit(i: int, size: int) -> np.ndarray:
    vector = np.zeros(size)
    vector[i] = 1
    return vector


def directions_of(operators: Sequence[Any], size: int) -> tuple[int, Along]:
    """How many directions the operators are propagated along, and which of them are coordinates."""
    if any(term.varies for operator in operators for term in operator.a):
        return size, {}  # the operator of a user, with coefficients that depend on x
    x = np.zeros(size)
    with jax.ensure_compile_time_eval():
        groups, _ = share([factor(operator.at(x, Space.of(x)).a, size) for operator in operators])
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

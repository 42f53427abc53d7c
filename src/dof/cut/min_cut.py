"""The narrowest cut: few values through which x has all its influence on what comes after them.

Let C be such values, φ(x) = F(C(x)). Then

    L φ = Σ_ij K_ij ∂²F/∂C_i∂C_j + Σ_i (L C_i) ∂F/∂C_i,     K_ij = Σ_kl q_kl ∂_k C_i ∂_l C_j

so that after C its elements take the place of the coordinates of x, and K that of A (see exchange.py).

Which C is best is a minimum cut of the program: a step before it costs its work for each of the directions that there
are; a value on it adds, for each element, one direction to all steps after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dof.cut.cost_model import Work
from dof.cut.dependency_graph import Graph, Node
from dof.cut.max_flow import INFINITE, Network
from dof.jaxpr.program import Name

NARROW = 0.5
"""A value may be on a cut only if it has less than this share of the directions."""
WORTH = 0.05
"""What a cut must save of the whole; and six times as much of the part after it, in case the estimates are wrong."""
PRICES = (4.0, 1.0, 0.25, 0.06, 0.01)
"""Costs of a direction after the cut, relative to all work, to try."""
OVERHEAD = 5000
"""Operations that an exchange must save only to make up for being there."""


@dataclass(frozen=True)
class Situation:
    """What holds before a cut."""

    sources: frozenset[Name]
    directions: int
    are_apart: bool
    """Whether each element of the sources depends on few directions."""
    is_coupled: bool
    """Whether directions are summed in pairs."""
    is_known: bool
    """Whether how they are summed is known, and so the same for all points of a batch."""


class Cut(NamedTuple):
    values: frozenset[Name]
    width: int
    before: list[Node]
    after: list[Node]


class Part(NamedTuple):
    """Nodes, and the values of the cut after them; the last part has none."""

    nodes: list[Node]
    cut: frozenset[Name]


def divide(graph: Graph, situation: Situation) -> list[Part]:
    """The program in parts, with a cut after each but the last: the best one, and the best ones before and after it."""
    cut = best_cut(graph, situation)
    if cut is None:
        return [Part(graph.nodes, frozenset())]
    *first, last = divide(replace(graph, nodes=[*cut.before, exchange_at(cut)]), situation)
    after = divide(replace(graph, nodes=cut.after), _situation_after(graph, cut))
    return [*first, Part(last.nodes[:-1], cut.values), *after]


def exchange_at(cut: Cut) -> Node:
    """What is done at a cut, as a node: sums over all directions for each pair of elements."""
    return Node(None, Work(2.0 * cut.width**2, 2.0 * cut.width), tuple(cut.values), keeps_apart=False)


def _situation_after(graph: Graph, cut: Cut) -> Situation:
    values = frozenset(name for name in cut.values if graph.widths[name])
    return Situation(values, cut.width, are_apart=True, is_coupled=True, is_known=False)


def best_cut(graph: Graph, situation: Situation) -> Cut | None:
    costs = [*_costs(graph, graph.nodes, situation)]
    total = sum(costs)
    if not _leaves_work(graph, situation, costs, WORTH * total):
        return None
    best, most = None, WORTH * total
    for price in PRICES:
        cut = _minimum_cut(graph, situation, costs, price / situation.directions)
        saved = _saved(graph, situation, cut, costs)
        if saved > most:
            best, most = cut, saved
    return best


def _costs(graph: Graph, nodes: Sequence[Node], situation: Situation) -> Iterator[float]:
    """What each node costs with these directions. Near the sources an element has one direction of its own."""
    apart = set(situation.sources) if situation.are_apart else set()
    for node in nodes:
        if apart.issuperset(name for name in node.reads if graph.widths[name]):
            yield node.work.of(1, False)
            apart.update(node.writes if node.keeps_apart else ())
        else:
            yield node.work.of(situation.directions, situation.is_coupled)


def _leaves_work(graph: Graph, situation: Situation, costs: Sequence[float], enough: float) -> bool:
    """Whether there can be a cut: some work must not be reached through values that are too wide to be on it."""
    limit = NARROW * situation.directions
    wide = {name for name in situation.sources if graph.widths[name] >= limit}
    left = 0.0
    for node, cost in zip(graph.nodes, costs, strict=True):
        if wide.isdisjoint(node.reads):
            left += cost
        else:
            wide.update(name for name in node.writes if graph.widths[name] >= limit)
    return left > enough


def _saved(graph: Graph, situation: Situation, cut: Cut, costs: Sequence[float]) -> float:
    """What the steps after the cut cost less, without what the exchange costs."""
    if not cut.before or not cut.width or not any(node.step for node in cut.after):
        return -np.inf
    number = {id(node): n for n, node in enumerate(graph.nodes)}
    old = sum((costs[number[id(node)]] for node in cut.after), 0.0)
    new = sum(_costs(graph, cut.after, _situation_after(graph, cut)))
    saved = old - new - _cost_of_exchange(graph, situation, cut)
    return saved if saved > 6 * WORTH * old else -np.inf


def _cost_of_exchange(graph: Graph, situation: Situation, cut: Cut) -> float:
    """Sums over directions for pairs of elements. Those that are the same for a whole batch count as nothing."""
    shared = graph.width(cut.values & graph.affine) if situation.is_known else 0
    pairs = cut.width**2 - shared**2
    coupled = situation.directions * cut.width if situation.is_coupled else 0
    return OVERHEAD + 2.0 * situation.directions * (pairs + coupled)


def _minimum_cut(graph: Graph, situation: Situation, costs: Sequence[float], price: float) -> Cut:
    """The cut with the least cost before it plus `price` for each element on it, relative to all costs."""
    names = sorted({*situation.sources, *(n for node in graph.nodes for n in (*node.reads, *node.writes))}, key=str)
    network = Network()
    for name in situation.sources:
        network.add("source", (name, "in"), INFINITE)
    for name in names:
        is_narrow = graph.widths[name] < NARROW * situation.directions
        network.add((name, "in"), (name, "out"), _scaled(price * graph.widths[name]) if is_narrow else INFINITE)
    total = sum(costs)
    for n, node in enumerate(graph.nodes):
        network.add(n, "sink", _scaled(costs[n] / total))
        for name in node.reads:
            network.add((name, "out"), n, INFINITE)  # what is read after the cut is on it, or comes after it
            network.add(n, (name, "in"), INFINITE)  # before a step comes what it reads
        for name in node.writes:
            network.add(n, (name, "in"), INFINITE)
            network.add((name, "in"), n, INFINITE)
    reached = network.reached_after_flow("source", "sink")
    values = frozenset(n for n in names if (n, "in") in reached and (n, "out") not in reached)
    before = [node for n, node in enumerate(graph.nodes) if n in reached]
    after = [node for n, node in enumerate(graph.nodes) if n not in reached]
    return Cut(values, graph.width(values), before, after)


def _scaled(share: float) -> int:
    return min(int(share * 2**26), INFINITE)

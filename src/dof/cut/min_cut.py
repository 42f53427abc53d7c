"""The narrowest cut: few values C through which x has all its influence on what comes after them.

With φ(x) = F(C(x)),

    L φ = Σ_ij K_ij ∂²F/∂C_i∂C_j + Σ_i (L C_i) ∂F/∂C_i,     K_ij = Σ_kl q_kl ∂_k C_i ∂_l C_j

so after C its elements take the place of the coordinates of x, and K that of A (`change_coordinates.py`).

Which C is best is a minimum cut of the program's graph: a step before it costs its work for each direction there is; a
value on it adds, for each of its elements, one direction to all steps after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dof.cut.cost_model import Work
from dof.cut.dependency_graph import Graph, Name, Node
from dof.cut.max_flow import INFINITE, FlowNetwork

NARROW = 0.5
"""A value may be on a cut only if it has less than this share of the directions, which shortens the search. From 0.1 to
1, eight networks of the benchmark get the same flops."""
WORTH = 0.05
"""Share of all work that a cut must save, and six times this share of the work after it, because the estimates are
rough. From 0 to 0.1, eight networks of the benchmark get the same flops; with 0.3 the cut that makes 10,000 inputs 40
times faster is missed."""
PRICES = (4.0, 1.0, 0.25, 0.06, 0.01)
"""Costs of one direction after the cut, relative to all work, that are tried; each is a factor of four to six apart."""
OVERHEAD = 5000
"""Operations that a change of coordinates must save to make up for being there, so that networks of a few units are not
cut. From 0 to 500,000, eight networks of the benchmark get the same flops."""
UNIT = 2**26
"""Capacity that stands for all work; SciPy's flow is in integers of 32 bits."""


@dataclass(frozen=True)
class Situation:
    """What holds where a search for a cut begins.

    Attributes:
        sources: the values through which everything later depends on x.
        directions: how many directions there are.
        are_apart: whether each element of the sources depends on few directions.
        is_coupled: whether the form sums over pairs of directions.
        is_known: whether the form is known while tracing, and so the same for all points of a batch.
    """

    sources: frozenset[Name]
    directions: int
    are_apart: bool
    is_coupled: bool
    is_known: bool


class Cut(NamedTuple):
    """Values that separate the nodes before them from those after them.

    Attributes:
        values: names of the values.
        width: directions after the cut: the number of their elements.
        before: nodes before the cut.
        after: nodes after it.
    """

    values: frozenset[Name]
    width: int
    before: list[Node]
    after: list[Node]


class Part(NamedTuple):
    """Nodes, and the values of the cut after them; the last part has none."""

    nodes: list[Node]
    cut: frozenset[Name]


def divide_at_cuts(graph: Graph, situation: Situation) -> list[Part]:
    """Divide a program at its best cut, and both sides again, until no cut is worth it."""
    cut = best_cut(graph, situation)
    if cut is None:
        return [Part(graph.nodes, frozenset())]
    # With K as a last node: an earlier cut makes it cheaper too, because it sums over the directions before it.
    *first, last = divide_at_cuts(replace(graph, nodes=[*cut.before, change_at(cut)]), situation)
    after = divide_at_cuts(replace(graph, nodes=cut.after), _situation_after(graph, cut))
    return [*first, Part(last.nodes[:-1], cut.values), *after]


def change_at(cut: Cut) -> Node:
    """The change of coordinates at a cut as a node: sums over all directions for each pair of elements."""
    # The same operations as in `_cost_of_change`: r (2 w² + 2 w r) for r coupled directions and w elements.
    return Node(None, Work(2.0 * cut.width**2, 2.0 * cut.width), tuple(cut.values))


def _situation_after(graph: Graph, cut: Cut) -> Situation:
    values = frozenset(name for name in cut.values if graph.widths[name])
    return Situation(values, cut.width, are_apart=True, is_coupled=True, is_known=False)


def best_cut(graph: Graph, situation: Situation) -> Cut | None:
    """The cut that saves most; None if none is worth it."""
    # A pass over the nodes is far cheaper than five maximum flows, and finds that most small networks have no cut.
    costs = [*_costs(graph, graph.nodes, situation)]
    total = sum(costs)
    if not _leaves_work(graph, situation, costs, WORTH * total):
        return None
    best, most = None, WORTH * total
    # The price of a direction depends on the work after the cut, which depends on the cut: so a few are tried.
    for price in PRICES:
        cut = minimum_cut(graph, situation, costs, price / situation.directions)
        saved = _saved(graph, situation, cut, costs)
        if saved > most:
            best, most = cut, saved
    return best


def _costs(graph: Graph, nodes: Sequence[Node], situation: Situation) -> Iterator[float]:
    """The cost of each node; near the sources, where elements have one direction each, that of one direction."""
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
    """What a cut saves: the cost of the later steps without it, minus that with it, minus the change of coordinates.

    It is −∞ for a cut that is not worth it.
    """
    # A cut with nothing after it but the change of coordinates of a later cut, which has no step, is none.
    if not cut.before or not cut.width or not any(node.step for node in cut.after):
        return -np.inf
    number = {id(node): n for n, node in enumerate(graph.nodes)}
    old = sum((costs[number[id(node)]] for node in cut.after), 0.0)
    new = sum(_costs(graph, cut.after, _situation_after(graph, cut)))
    saved = old - new - _cost_of_change(graph, situation, cut)
    return saved if saved > 6 * WORTH * old else -np.inf


def _cost_of_change(graph: Graph, situation: Situation, cut: Cut) -> float:
    """Operations to compute K for all pairs of elements; pairs that are the same for a whole batch cost nothing."""
    # Under vmap, K of values that are linear in x is computed once: its cost is divided by the number of points.
    shared = graph.width(cut.values & graph.affine) if situation.is_known else 0
    pairs = cut.width**2 - shared**2
    coupled = situation.directions * cut.width if situation.is_coupled else 0
    return OVERHEAD + 2.0 * situation.directions * (pairs + coupled)


def minimum_cut(graph: Graph, situation: Situation, costs: Sequence[float], price: float) -> Cut:
    """The cut with the least cost before it, relative to all costs, plus `price` for each element on it."""
    names = sorted({*situation.sources, *(n for node in graph.nodes for n in (*node.reads, *node.writes))}, key=str)
    network = FlowNetwork()
    for name in situation.sources:
        network.add("source", (name, "in"), INFINITE)
    for name in names:
        is_narrow = graph.widths[name] < NARROW * situation.directions
        network.add((name, "in"), (name, "out"), _capacity(price * graph.widths[name]) if is_narrow else INFINITE)
    total = sum(costs)
    for n, node in enumerate(graph.nodes):
        # All edges to the sink carry UNIT at most: no flow overflows, and no minimum cut takes an infinite edge.
        network.add(n, "sink", _capacity(costs[n] / total))
        for name in node.reads:
            network.add((name, "out"), n, INFINITE)  # what is read after the cut is on it, or comes after it
            network.add(n, (name, "in"), INFINITE)  # before a step comes what it reads
        for name in node.writes:
            network.add(n, (name, "in"), INFINITE)
            network.add((name, "in"), n, INFINITE)
    before = network.source_side_of_cut("source", "sink")
    values = frozenset(n for n in names if (n, "in") in before and (n, "out") not in before)
    sides = [[node for n, node in enumerate(graph.nodes) if (n in before) is side] for side in (True, False)]
    return Cut(values, graph.width(values), *sides)


def _capacity(share: float) -> int:
    return min(int(share * UNIT), INFINITE)

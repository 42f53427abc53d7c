"""The source's side of a minimum cut, against all divisions of small networks."""

from itertools import chain, combinations

import numpy as np
import pytest

from dof.cut.max_flow import INFINITE, FlowNetwork


def capacity_of_cut(edges, side):
    """What the edges that leave a side of the network carry together."""
    return sum(capacity for start, end, capacity in edges if start in side and end not in side)


def least_capacity(edges, nodes):
    """Over all sides that have the source and not the sink."""
    inner = [n for n in nodes if n not in ("source", "sink")]
    sides = chain.from_iterable(combinations(inner, size) for size in range(len(inner) + 1))
    return min(capacity_of_cut(edges, {"source", *side}) for side in sides)


def network_of(edges):
    network = FlowNetwork()
    for edge in edges:
        network.add(*edge)
    return network


@pytest.mark.parametrize("seed", range(40))
def test_the_cut_has_the_least_capacity(seed):
    rng = np.random.default_rng(seed)
    nodes = ["source", *range(int(rng.integers(1, 6))), "sink"]
    ends = [rng.choice(len(nodes), size=2, replace=False) for _ in range(int(rng.integers(3, 16)))]
    capacities = rng.choice([0, 1, 2, 3, 5, 8, 13, 1000], size=len(ends)).tolist()
    edges = [(nodes[a], nodes[b], capacity) for (a, b), capacity in zip(ends, capacities, strict=True)]
    edges += [("source", 0, 3), ("source", 0, 4), (0, "sink", 6)]  # two edges between the same nodes count together
    side = network_of(edges).source_side_of_cut("source", "sink")
    assert "source" in side and "sink" not in side
    assert capacity_of_cut(edges, set(side)) == least_capacity(edges, nodes)


def test_edges_of_infinite_capacity_are_never_cut():
    edges = [("source", "a", INFINITE), ("a", "b", 7), ("b", "a", INFINITE), ("b", "sink", INFINITE)]
    assert set(network_of(edges).source_side_of_cut("source", "sink")) == {"source", "a"}


def test_of_several_least_cuts_the_one_nearest_to_the_source_is_taken():
    edges = [("source", "a", 5), ("a", "b", 2), ("b", "sink", 2)]
    assert set(network_of(edges).source_side_of_cut("source", "sink")) == {"source", "a"}

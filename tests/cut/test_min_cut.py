"""The search for a cut, against all valid cuts of small random programs."""

from itertools import chain, combinations

import numpy as np
import pytest

from dof.cut.cost_model import Work
from dof.cut.dependency_graph import Graph, Node, Operation, graph_of
from dof.cut.min_cut import NARROW, UNIT, Situation, divide_at_cuts, minimum_cut

DIRECTIONS = 40


def random_program(rng, nodes=None):
    """(graph, situation, costs): a random program of up to eight steps in which everything depends on x."""
    sources = [f"x{n}" for n in range(int(rng.integers(1, 3)))]
    names, steps = list(sources), []
    for n in range(nodes or int(rng.integers(2, 9))):
        reads = rng.choice(len(names), size=min(len(names), int(rng.integers(1, 4))), replace=False)
        writes = tuple(f"{n}{letter}" for letter in "ab"[: int(rng.integers(1, 3))])
        steps.append(Node(n, Work(), tuple(names[k] for k in reads), writes))
        names += writes
    widths = {name: int(rng.choice([0, 1, 2, 4, 9, 25, 60])) for name in names}
    situation = Situation(frozenset(sources), DIRECTIONS, are_apart=False, is_coupled=False, is_known=True)
    costs = rng.choice([0.0, 1.0, 10.0, 100.0, 1000.0], size=len(steps)).tolist()
    costs[-1] += 1.0
    return Graph(steps, widths, set()), situation, costs


def values_on_cut(graph, situation, before):
    """The values that are there before the cut and read after it; None if a step before it reads one from after it."""
    nodes = [graph.nodes[n] for n in before]
    there = {*situation.sources, *(name for node in nodes for name in node.writes)}
    if not there.issuperset(name for node in nodes for name in node.reads):
        return None
    later = [node for n, node in enumerate(graph.nodes) if n not in before]
    return {name for node in later for name in node.reads if name in there}


def objective(graph, costs, price, before, values):
    """What `minimum_cut` minimises; infinite if a value is too wide to be on a cut."""
    if any(graph.widths[name] >= NARROW * DIRECTIONS for name in values):
        return np.inf
    return sum(costs[n] for n in before) / sum(costs) + price * sum(graph.widths[name] for name in values)


def least_objective(graph, situation, costs, price):
    """Over all sets of steps before the cut."""
    steps = range(len(graph.nodes))
    sets = chain.from_iterable(combinations(steps, size) for size in range(len(graph.nodes) + 1))
    found = ((before, values_on_cut(graph, situation, before)) for before in sets)
    return min(objective(graph, costs, price, *pair) for pair in found if pair[1] is not None)


@pytest.mark.parametrize("seed", range(60))
def test_the_minimum_cut_is_the_best_of_all_valid_cuts(seed):
    rng = np.random.default_rng(seed)
    graph, situation, costs = random_program(rng)
    price = float(rng.choice([0.1, 0.02, 0.005, 0.001]))
    cut = minimum_cut(graph, situation, costs, price)
    before = [n for n, node in enumerate(graph.nodes) if node in cut.before]
    values = values_on_cut(graph, situation, before)
    assert values is not None and cut.after == [node for node in graph.nodes if node not in cut.before]
    assert {name for name in cut.values if graph.widths[name]} == {name for name in values if graph.widths[name]}
    assert cut.width == sum(graph.widths[name] for name in values)
    rounding = len(costs) * 4 / UNIT  # capacities are whole numbers
    best = least_objective(graph, situation, costs, price)
    assert objective(graph, costs, price, before, values) <= best + rounding


def random_operations(rng):
    """A chain of layers of random widths, with shortcuts past some of them."""
    sizes = [int(s) for s in rng.choice([2, 5, 12, 50, 200], size=6)]
    names, operations = ["x"], []
    for n, size in enumerate(sizes):
        reads = dict.fromkeys([names[-1], *([names[int(rng.integers(len(names)))]] if rng.random() < 0.3 else [])])
        work = Work(2.0 * size * 300, float(size))
        operations.append(Operation(n, tuple(reads), (f"h{n}",), (size,), bool(rng.random() < 0.3), False, False, work))
        names.append(f"h{n}")
    return operations


@pytest.mark.parametrize("seed", range(20))
def test_parts_between_cuts_have_every_step_once_and_read_only_what_is_on_the_cuts(seed):
    operations = random_operations(np.random.default_rng(seed))
    graph = graph_of(operations, {"x": 400}, wanted=())
    situation = Situation(frozenset(["x"]), 400, are_apart=False, is_coupled=False, is_known=True)
    parts = divide_at_cuts(graph, situation)
    assert [node.step for part in parts for node in part.nodes] == list(range(6))
    there = {"x"}
    for n, part in enumerate(parts):
        for node in part.nodes:
            assert all(name in there for name in node.reads if graph.widths[name])
            there.update(node.writes)
        assert bool(part.cut) is (n < len(parts) - 1) and there.issuperset(part.cut)
        there &= set(part.cut)


def test_a_narrow_value_with_much_work_after_it_is_a_cut():
    narrow = Operation("narrow", ("x",), ("h",), (4,), False, False, False, Work(8000.0, 4.0))
    wide = Operation("wide", ("h",), ("y",), (500,), False, False, False, Work(1e6, 500.0))
    situation = Situation(frozenset(["x"]), 1000, are_apart=False, is_coupled=False, is_known=True)
    divided = divide_at_cuts(graph_of([narrow, wide], {"x": 1000}), situation)
    assert [([node.step for node in part.nodes], set(part.cut)) for part in divided] == [
        (["narrow"], {"h"}),
        (["wide"], set()),
    ]
    whole = divide_at_cuts(graph_of([narrow._replace(widths=(600,)), wide], {"x": 1000}), situation)
    assert len(whole) == 1  # more than half of the directions


def test_tangents_that_no_later_step_sums_over_cost_nothing():
    first = Operation("first", ("x",), ("h",), (8,), False, False, False, Work(10.0, 8.0))
    linear = Operation("linear", ("h",), ("y",), (3,), True, False, False, Work(100.0, 0.0))
    graph = graph_of([first, linear], {"x": 5})
    assert [node.work for node in graph.nodes] == [Work(0, 8.0), Work(0, 0)]
    assert graph.widths == {"x": 5, "h": 0, "y": 0} and graph.affine == {"x"}
    asked = graph_of([first, linear], {"x": 5}, wanted=["y"])
    assert [node.work for node in asked.nodes] == [Work(10.0, 8.0), Work(100.0, 0)]
    assert asked.widths == {"x": 5, "h": 8, "y": 3}
    straight = graph_of([linear._replace(reads=("x",)), first._replace(reads=("y",))], {"x": 5})
    assert straight.affine == {"x", "y"}


def test_the_work_of_a_step_grows_with_the_square_of_coupled_directions():
    work = Work(10.0, 3.0) + Work(1.0, 1.0)
    assert work == (11.0, 4.0) and work.times(3) == (33.0, 12.0)
    assert work.of(5, is_coupled=False) == 5 * (11 + 4)
    assert work.of(5, is_coupled=True) == 5 * (11 + 4 * 5)

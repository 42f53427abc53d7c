"""A program as a graph: the steps that depend on x, what they read and write, and what they cost.

Nothing here knows a framework: a step is described by what it reads, writes and costs (`Operation`).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dof.cut.cost_model import Work

Name = Hashable
"""What a value of the program is called."""


class Operation(NamedTuple):
    """A step of a program that depends on x.

    Attributes:
        step: the step itself, which `Node` hands back.
        reads: names of the values it reads that depend on x, each once.
        writes: names of its results.
        widths: for each result, how many directions its elements would bring to a cut; 0 if it has no derivatives.
        is_linear: whether its second derivative vanishes.
        keeps_apart: whether results depend on one direction per element if the operands do.
        has_inner_work: whether tangents are pushed inside of it even if nobody needs those of its results.
        work: its cost for each direction.
    """

    step: Any
    reads: tuple[Name, ...]
    writes: tuple[Name, ...]
    widths: tuple[int, ...]
    is_linear: bool
    keeps_apart: bool
    has_inner_work: bool
    work: Work


class Node(NamedTuple):
    """An operation in the graph, or a change of coordinates, which has no step.

    Its work counts pushing only if some later step needs the tangents of its results.
    """

    step: Any
    work: Work
    reads: tuple[Name, ...]
    writes: tuple[Name, ...] = ()
    keeps_apart: bool = False


@dataclass(frozen=True)
class Graph:
    """Nodes in the order of the program.

    Attributes:
        nodes: the nodes.
        widths: for each value, how many directions it brings to a cut; 0 if nothing after it needs its tangents.
        affine: values whose derivatives do not depend on x, and so are the same for all points of a batch.
    """

    nodes: list[Node]
    widths: dict[Name, int]
    affine: set[Name]

    def width(self, names: Collection[Name]) -> int:
        """How many directions the values bring together."""
        return sum(self.widths[name] for name in names)


def graph_of(operations: Sequence[Operation], sources: dict[Name, int], wanted: Collection[Name] = ()) -> Graph:
    """The graph of a program.

    Args:
        operations: its steps, in order.
        sources: the inputs that vary, with the number of directions that each would bring.
        wanted: outputs whose tangents are asked for.
    """
    # Values whose tangents nobody needs, as those that are only added to the result, can pass a cut for free.
    needed = _needed_tangents(operations, wanted)
    sizes = dict(sources)
    affine = set(sources)
    for operation in operations:
        sizes.update(zip(operation.writes, operation.widths, strict=True))
        if operation.is_linear and all(name in affine for name in operation.reads):
            # Results without derivatives (integers, masks) jump with x; they are not affine.
            affine.update(n for n, width in zip(operation.writes, operation.widths, strict=True) if width)
    widths = {name: size if name in needed else 0 for name, size in sizes.items()}
    return Graph([_node(operation, needed) for operation in operations], widths, affine)


def _needed_tangents(operations: Sequence[Operation], wanted: Collection[Name]) -> set[Name]:
    """Values whose tangents some later step sums over; linear steps only pass them on."""
    needed = set(wanted)
    for operation in reversed(operations):
        if not operation.is_linear or not needed.isdisjoint(operation.writes):
            needed.update(operation.reads)
    return needed


def _node(operation: Operation, needed: set[Name]) -> Node:
    pushes = operation.has_inner_work or not needed.isdisjoint(operation.writes)
    work = Work(operation.work.pushing if pushes else 0, operation.work.curved)
    return Node(operation.step, work, operation.reads, operation.writes, operation.keeps_apart)

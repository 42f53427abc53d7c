"""The maximum flow through a network, and with it its minimum cut."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

INFINITE = 2**30
"""A capacity that no cut takes; SciPy computes in 32 bits."""


class FlowNetwork:
    """Edges with capacities between nodes, which may be anything that can be hashed."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.edges: list[tuple[int, int, int]] = []

    def add(self, start: Any, end: Any, capacity: int) -> None:
        """Add an edge; one without capacity is left out."""
        if capacity:
            self.edges.append((self._number(start), self._number(end), capacity))

    def _number(self, node: Any) -> int:
        return self.numbers.setdefault(node, len(self.numbers))

    def source_side_of_cut(self, source: Any, sink: Any) -> Collection[Any]:
        """The nodes on the source's side of the minimum cut: those still reached when the flow is at its maximum."""
        first, last = self._number(source), self._number(sink)
        starts, stops, capacities = map(np.array, zip(*self.edges, strict=True))
        size = (len(self.numbers), len(self.numbers))
        # Every edge is added once; SciPy would sum two infinite ones, and overflow.
        matrix = coo_array((capacities.astype(np.int32), (starts, stops)), shape=size).tocsr()
        # SciPy's flow is negative along the reverse of each edge, so the difference has the edges back as well.
        residual = matrix - maximum_flow(matrix, first, last).flow
        # A search follows stored zeros too.
        residual.eliminate_zeros()
        reached = set(breadth_first_order(residual, first, return_predecessors=False).tolist())
        return {node for node, number in self.numbers.items() if number in reached}

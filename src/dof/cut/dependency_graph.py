"""A program as seen by the search for a cut: steps that x has an influence on, and what they cost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax.numpy as jnp

from dof.cut.cost_model import Work, size_of, work
from dof.jax_compat import JaxprEqn
from dof.jaxpr.program import Name, Program, Step, dependent_writes, is_linear
from dof.jaxpr.registry import POINTWISE, family_of


class Node(NamedTuple):
    """A step that x has an influence on, be it only on which branch is taken."""

    step: Step | None
    """None for what is done at a cut."""
    work: Work
    reads: tuple[Name, ...]
    keeps_apart: bool
    """Whether elements that depend on a direction of their own each still do so after it."""

    @property
    def writes(self) -> tuple[Name, ...]:
        return self.step.writes if self.step else ()


@dataclass(frozen=True)
class Graph:
    """Nodes in the order of the program."""

    nodes: list[Node]
    widths: dict[Name, int]
    """How many directions a value brings to a cut: none if nothing after it needs its tangents."""
    affine: set[Name]
    """Values whose derivatives do not depend on x: they are the same for all points of a batch."""

    def width(self, names: Collection[Name]) -> int:
        return sum(self.widths[name] for name in names)


def graph_of(program: Program, sources: dict[Name, int], wants_tangents: bool) -> Graph:
    """`sources` are the inputs that vary, with the number of directions that each would bring."""
    reached, depends, affine = set(sources), set(sources), set(sources)
    found: list[tuple[Step, tuple[Name, ...], bool]] = []
    sizes = dict(sources)
    for step in program.steps:
        reads = tuple(dict.fromkeys(name for name in step.names if name in reached))
        if reads:
            written, linear = dependent_writes(step, depends), is_linear(step, depends)
            if linear and all(name in affine for name in reads):
                affine.update(written)
            found.append((step, reads, linear))
            reached.update(step.writes)
            depends.update(written)
            sizes.update((name, _width(v) if name in written else 0) for name, v in _results(step))
    needed = _needed(found, program.output_names if wants_tangents else set())
    nodes = [_node(step, reads, linear, needed) for step, reads, linear in found]
    return Graph(nodes, {name: size if name in needed else 0 for name, size in sizes.items()}, affine)


def _results(step: Step) -> Any:
    return zip(step.writes, step.eqn.outvars, strict=True)


def _width(variable: Any) -> int:
    return size_of(variable) * (2 if jnp.issubdtype(variable.aval.dtype, jnp.complexfloating) else 1)


def _needed(found: list[tuple[Step, tuple[Name, ...], bool]], outputs: Collection[Name]) -> set[Name]:
    """Values whose tangents some later step sums over; linear steps only pass them on."""
    needed = set(outputs)
    for step, reads, linear in reversed(found):
        if not linear or not needed.isdisjoint(step.writes):
            needed.update(reads)
    return needed


def _node(step: Step, reads: tuple[Name, ...], linear: bool, needed: set[Name]) -> Node:
    cost, family = work(step.eqn, linear), family_of(step.eqn.primitive)
    is_last = needed.isdisjoint(step.writes) and family not in ("call", "loop")  # inside of these much may be pushed
    pushing = 0 if is_last else cost.pushing
    return Node(step, Work(pushing, cost.curved), reads, _keeps_apart(step.eqn))


def _keeps_apart(eqn: JaxprEqn) -> bool:
    return eqn.primitive in POINTWISE or family_of(eqn.primitive) == "indexing"

"""What was done to apply an operator, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dof.errors import ArgumentTypeError, describe
from dof.frameworks import refuse_jax
from dof.torch.api.apply import Applicable, require_function
from dof.torch.pipeline.propagate import propagate_operators
from dof.torch.pipeline.propagated import Nested
from dof.torch.trace_log import Step


@dataclass(frozen=True)
class Explanation:
    """What `explain` found; `print` shows it as a table.

    Attributes:
        directions: how many there are: the rank of A, if A is known.
        steps: the operations that met a triple, in their order; where operators are applied one after another, those of
            the operator on the right of each product, which meets f.
        columns: for an order above two, what is carried for each value, as "∂₀³ + ∂₁"; or "by nesting".
        why: why operators of an order above two were applied one after another.

    Examples:
        >>> import torch, dof.torch as dof
        >>> found = dof.explain(dof.laplacian, lambda x: torch.sin(x).sum(-1), torch.ones(4, 3))
        >>> [(step.operation, step.family, step.tangents) for step in found.steps]
        [('sin', 'elementwise', (3, 4, 3)), ('sum.dim_IntList', 'linear', (3, 4))]
    """

    directions: int
    steps: tuple[Step, ...]
    columns: tuple[str, ...] = ()
    why: str = ""

    def __str__(self) -> str:
        head = ("operation", "rule", "result", "tangents", "")
        rows = [head, *((s.operation, s.family, str(list(s.shape)), _shape(s), s.source) for s in self.steps)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([self._head(), "", *table])

    def _head(self) -> str:
        if self.why:
            return f"one operator after another, because {self.why}"
        return (
            f"{len(self.columns)} columns: {', '.join(self.columns)}"
            if self.columns
            else f"{self.directions} directions"
        )


def _shape(step: Step) -> str:
    if step.tangents is None:
        return "0"
    return f"{list(step.tangents)}{' in slots' if step.has_slots else ''}"


def explain(L: Any, f: Callable[[Any], Any], x: Tensor) -> Explanation:
    """What is done to apply L to f at the points x: operations, the families of their rules, shapes of tangents.

    Tangents of size one on an axis are the same along it, as those of the first layer are for all points. Tangents "in
    slots" have, for each particle, the directions of this particle only.

    Args:
        L: an operator, or several by `jointly`.
        f: a module or a function of points in rows.
        x: points (…, N).
    """
    refuse_jax("L", L)
    if not isinstance(L, Applicable):
        found, fix = f"is of type {type(L).__name__}", "dof.explain(dof.laplacian, net, x)"
        raise ArgumentTypeError(describe("L", found, "an operator", fix))
    require_function(f)
    log: list[Any] = []
    with torch.no_grad():
        done = propagate_operators(f, L._operators(), x, log)
    why = done.why if isinstance(done, Nested) else ""
    return Explanation(done.directions, tuple(log), done.columns, why)

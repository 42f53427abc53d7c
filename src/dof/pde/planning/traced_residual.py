"""A residual as a program of the derivatives that it reads.

The user's function is run once to see which derivatives it reads, and once to trace it as a program of their values.
The reads are remembered, so that later traces of the same residual run it once. Everything else (which derivatives
enter linearly, with which coefficients, the residual itself) comes from the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

import jax
import jax.numpy as jnp

from dof.errors import ArgumentError, describe
from dof.extend import Closed, Role, as_function, is_traced, linear_arguments, trace_of, typed_like, vary_as
from dof.pde.notation.derivatives import Derivative, Gradient
from dof.pde.notation.mistakes import require_indices_within

ENDED: WeakSet[Any] = WeakSet()
"""Traces of runs of users' functions that have ended; what belongs to them has no value any more."""


@dataclass(frozen=True)
class TracedResidual:
    """The residual as a program (derivatives, value of the network, point) ↦ leaves of the residual.

    Attributes:
        reads: the derivatives that are read, in the order of the program's first arguments.
        types: shape and dtype of each.
        value: shape and dtype of the network's value.
        jaxpr: the program.
        tree: the tree of the residual.
    """

    reads: tuple[Derivative, ...]
    types: tuple[jax.ShapeDtypeStruct, ...]
    value: jax.ShapeDtypeStruct
    jaxpr: Closed
    tree: Any

    def at(self, derivatives: Sequence[Any], value: Any, point: Any) -> list[Any]:
        """The leaves of the residual."""
        # A program takes only what varies over the devices of a mesh as it did when it was traced.
        given = map(vary_as, [*derivatives, value], [*self.types, self.value])
        return as_function(self.jaxpr)(*given, point)

    def linear_reads(self) -> list[int]:
        """The reads that enter linearly, with coefficients that do not depend on fields; gradients are left out."""
        roles = [Role.CANDIDATE] * len(self.reads) + [Role.UNKNOWN, Role.GIVEN]
        found = linear_arguments(self.jaxpr, roles)
        # Merged, a gradient would be an operator for each coordinate; it is read off the tangents, or by one reverse
        # pass.
        return [k for k in sorted(found) if not isinstance(self.reads[k], Gradient)]


class _UnknownRead(Exception):
    pass


def trace_residual(
    residual: Any, value: Any, point: Any, parameters: Any, reads: Sequence[Derivative] | None = None
) -> TracedResidual:
    """Trace a residual.

    Args:
        residual: the residual.
        value: shape and dtype of the network's value.
        point: the point.
        parameters: keywords of the user's function.
        reads: what an earlier trace of it read, if there was one.
    """
    if reads is not None:
        try:
            return _traced(residual, value, point, parameters, reads)
        except _UnknownRead:  # it reads something else now: another branch of Python, another global
            pass
    try:
        return _traced(residual, value, point, parameters, reads_of(residual, value, point, parameters))
    except _UnknownRead:
        found, fix = (
            "is an operator made inside of the residual",
            "u.apply(g * L) as g * u.apply(L), with L made outside",
        )
        raise ArgumentError(
            describe("apply", found, "one that is the same whenever the residual is run", fix)
        ) from None


def reads_of(residual: Any, value: Any, point: Any, parameters: Any) -> tuple[Derivative, ...]:
    """The derivatives that are read, from a run that only records them."""
    # A dict, since a set has no order: reads are the first arguments of the program.
    reads: dict[Derivative, None] = {}

    def record(read: Derivative) -> Any:
        reads[read] = None
        return jnp.zeros(derivative_shape(read, value), value.dtype)

    def run(value: Any, point: Any) -> Any:
        ENDED.add(trace_of(value))
        return residual.run(record, value, point, parameters)

    jax.eval_shape(run, value, point)
    return tuple(reads)


def _traced(residual: Any, value: Any, point: Any, parameters: Any, reads: Sequence[Derivative]) -> TracedResidual:
    types = tuple(typed_like(derivative_shape(read, value), value) for read in reads)

    def of_derivatives(*arguments: Any) -> Any:
        *derivatives, value, point = arguments
        traces.append(trace_of(value))
        given = dict(zip(reads, derivatives, strict=True))

        def read(derivative: Derivative) -> Any:
            if derivative not in given:
                raise _UnknownRead
            return given[derivative]

        return residual.run(read, value, point, parameters)

    traces: list[Any] = []
    jaxpr, shapes = jax.make_jaxpr(of_derivatives, return_shape=True)(*types, value, point)
    _require_own_values(residual.name, jaxpr)
    require_indices_within(residual.name, jaxpr)
    ENDED.update(traces)
    return TracedResidual(tuple(reads), types, value, jaxpr, jax.tree.structure(shapes))


def _require_own_values(name: str, jaxpr: Closed) -> None:
    """Refuse a program with values of an earlier run: JAX would fail much later, and speak of its own tracers."""
    if any(is_traced(const) and trace_of(const) in ENDED for const in jaxpr.consts):
        found, expected = "uses a value of an earlier call, which was kept outside of it", "values of this call only"
        raise ArgumentError(describe(name, found, expected, "compute it anew in each call"))


def derivative_shape(read: Derivative, value: Any) -> tuple[int, ...]:
    """The shape of a derivative of all components of the network."""
    return (*value.shape, len(read.places)) if isinstance(read, Gradient) else value.shape

"""A JAX program as the search for a cut sees it: what each step reads, writes and costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp

from dof.cut.cost_model import Work
from dof.cut.dependency_graph import Operation
from dof.jax_compat import JaxprEqn, parts
from dof.jaxpr.dependence import Name, dependent_writes, varying_reads
from dof.jaxpr.program import Program, Step
from dof.jaxpr.registry import Record, elementwise_operations, record_of, size_of


def operations_of(program: Program, sources: Sequence[Name]) -> list[Operation]:
    """The steps that depend on x as operations; a step that depends on x through an index or a branch counts too."""
    # `reached` also has integers and masks, which have no tangents but must be there before what reads them.
    reached, depends = set(sources), set(sources)
    found = []
    for step in program.steps:
        reads = tuple(dict.fromkeys(name for name in step.names if name in reached))
        if reads:
            written = dependent_writes(step.eqn, step.reads, step.writes, depends)
            found.append(_operation(step, reads, written, varying_reads(step.reads, depends)))
            reached.update(step.writes)
            depends.update(written)
    return found


def _operation(step: Step, reads: tuple[Name, ...], written: Sequence[Name], varying: Sequence[bool]) -> Operation:
    record = record_of(step.eqn.primitive)
    is_linear = record is not None and record.has_no_curvature(step.eqn.params, varying)
    widths = [directions_of(v) if name in written else 0 for name, v in zip(step.writes, step.eqn.outvars, strict=True)]
    return Operation(
        step=step,
        reads=reads,
        writes=step.writes,
        widths=tuple(widths),
        is_linear=is_linear,
        keeps_apart=record is not None and (record.is_elementwise or record.family == "indexing"),
        has_inner_work=record is not None and record.inner is not None,
        work=work_of(step.eqn, is_linear),
    )


def directions_of(variable: Any) -> int:
    """How many directions the elements of a variable make: one each, two for complex ones."""
    return size_of(variable) * (2 if jnp.issubdtype(variable.aval.dtype, jnp.complexfloating) else 1)


def work_of(eqn: JaxprEqn, is_linear: bool) -> Work:
    """What an equation costs for each direction, roughly, from its shapes alone."""
    record = record_of(eqn.primitive)
    if record is not None and record.inner is not None:
        return _work_inside(eqn, record)
    results = sum(map(size_of, eqn.outvars))
    operations = record.operations if record else elementwise_operations
    return Work(operations(eqn), 0 if is_linear else results)


def _work_inside(eqn: JaxprEqn, record: Record) -> Work:
    inner = record.inner
    assert inner is not None
    each = [_work_of_program(program) for program in inner.of(eqn.params)]
    # Tuples are compared by their first entries: the branch that pushes most counts.
    total = max(each) if inner.is_choice else sum(each, Work())
    return total.times(inner.repeats(eqn.params))


def _work_of_program(jaxpr: Any) -> Work:
    """The work of an inner program, as if all of it depended on x except one side of each matrix product."""
    return sum((work_of(eqn, _is_straight(eqn)) for eqn in parts(jaxpr)[0].eqns), Work())


def _is_straight(eqn: JaxprEqn) -> bool:
    """Whether an equation of an inner program counts as linear; matrix products do, as products with weights."""
    record = record_of(eqn.primitive)
    if record is None:
        return False
    is_weighted_product = record.family == "bilinear" and not record.is_elementwise
    return is_weighted_product or record.has_no_curvature(eqn.params, [True] * len(eqn.invars))

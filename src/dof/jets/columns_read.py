"""Which columns of each value of a program are read by anything that comes after it.

Of f(x) an operator reads few columns, of Korteweg–de Vries one of four. Linear steps keep columns apart, so that from
the last nonlinear one on the others need not be computed, nor what a gradient would keep of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from dof.jaxpr.dependence import Name, dependent_writes, varying_reads
from dof.jaxpr.program import Step
from dof.jaxpr.registry import LINEAR_FAMILIES, record_of

KEEP_APART = (*LINEAR_FAMILIES, "piecewise linear", "bilinear")
"""Families in which column i of a result comes from column i of the operands, where there is no curvature. A call may
have a derivative of its own, which its program does not tell."""

Numbers = frozenset[int]


def columns_read(
    steps: Sequence[Step], varying: Collection[Name], results: Collection[Name], of_results: Numbers, of_others: Numbers
) -> Mapping[Name, Numbers]:
    """The columns that are read of each value.

    Args:
        steps: the steps of a program.
        varying: the names of inputs that depend on x.
        results: the names of its results.
        of_results: the columns that are read of the results.
        of_others: the columns that nonlinear steps read.
    """
    keeps_apart = _steps_that_keep_apart(steps, varying)
    read: dict[Name, Numbers] = dict.fromkeys(results, of_results)
    for step, keeps in reversed(list(zip(steps, keeps_apart, strict=True))):
        here = frozenset[int]().union(*(read.get(name, frozenset()) for name in step.writes)) if keeps else of_others
        read.update((name, read.get(name, frozenset()) | here) for name in step.names)
    return read


def _steps_that_keep_apart(steps: Sequence[Step], varying: Collection[Name]) -> list[bool]:
    depends, found = set(varying), []
    for step in steps:
        record, flags = record_of(step.eqn.primitive), varying_reads(step.reads, depends)
        keeps = record is not None and record.family in KEEP_APART and record.has_no_curvature(step.eqn.params, flags)
        found.append(keeps)
        depends.update(dependent_writes(step.eqn, step.reads, step.writes, depends))
    return found

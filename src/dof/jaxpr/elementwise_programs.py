"""Recognises programs that are elementwise functions, by what they contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dof.jax_compat import Closed, parts
from dof.jaxpr.dependence import varying_reads
from dof.jaxpr.registry import record_of

CURVED_FAMILIES = ("elementwise", "bilinear")


def nonlinear_steps(jaxpr: Closed, varying: Sequence[bool]) -> int | None:
    """How many nonlinear steps an elementwise program takes; None for a program that is not elementwise.

    A program is elementwise if everything in it that depends on a varying argument has the shape of that argument and
    comes from the same positions.
    """
    program, _ = parts(jaxpr)
    depends = {v for v, varies in zip(program.invars, varying, strict=True) if varies}
    shapes = {v.aval.shape for v in depends}
    steps = 0
    for eqn in program.eqns:
        flags = varying_reads(eqn.invars, depends)
        if any(flags):
            taken = _steps_of(eqn, flags)
            if taken is None:
                return None
            steps += taken
            depends.update(eqn.outvars)
            shapes.update(v.aval.shape for v in eqn.outvars)
    # A single shape rules out broadcasting, which would bring one element to many positions.
    return steps if len(shapes) == 1 else None


def _steps_of(eqn: Any, flags: Sequence[bool]) -> int | None:
    record = record_of(eqn.primitive)
    if record is None:
        return None
    if record.inner and record.inner.may_be_elementwise:
        (program,) = record.inner.of(eqn.params)
        return nonlinear_steps(program, flags)
    return int(record.family in CURVED_FAMILIES) if record.is_elementwise else None

"""Recognise programs that are elementwise functions, by what they contain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dof.jax_compat import Closed, Literal, find_primitive, parts, program_of
from dof.jaxpr.registry import POINTWISE, RULES

# A custom_vjp is missing on purpose: nested jvp cannot go through it.
_CALLS = {find_primitive(name) for name in ("jit", "custom_jvp_call")}
_NONLINEAR = ("elementwise", "bilinear")


def nonlinear_steps(jaxpr: Closed, varying: Sequence[bool]) -> int | None:
    """How many nonlinear steps an elementwise program takes; None for a program that is not elementwise.

    A program is elementwise if everything in it that depends on a varying argument has the shape of that argument
    and comes from the same positions.
    """
    open_jaxpr, _ = parts(jaxpr)
    depends = {v for v, varies in zip(open_jaxpr.invars, varying, strict=True) if varies}
    shapes = {v.aval.shape for v in depends}
    steps = 0
    for eqn in open_jaxpr.eqns:
        flags = [not isinstance(v, Literal) and v in depends for v in eqn.invars]
        if any(flags):
            taken = _steps_of(eqn, flags)
            if taken is None:
                return None
            steps += taken
            depends.update(eqn.outvars)
            shapes.update(v.aval.shape for v in eqn.outvars)
    return steps if len(shapes) == 1 else None


def _steps_of(eqn: Any, flags: Sequence[bool]) -> int | None:
    if eqn.primitive in _CALLS:
        return nonlinear_steps(program_of(eqn.params), flags)
    if eqn.primitive not in POINTWISE:
        return None
    return int(RULES[eqn.primitive].family in _NONLINEAR)

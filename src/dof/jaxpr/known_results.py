"""Results of a program that are known while tracing, although the program is not run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from dof.jax_compat import Closed, JaxprEqn, Literal, bind, is_traced, parts
from dof.jaxpr.program_signature import DEVICE_MARKS

ValueOf = Callable[[Any], Any]
"""From a variable of a program, or a number in it, to its value; None where it is not known."""


def known_results(jaxpr: Closed) -> list[np.ndarray | None]:
    """For each result its value, if it depends on no argument of the program and on no tracer; else None."""
    value_of = known_values(jaxpr)
    # Under an outer `jit` even a conversion would be staged out, and nothing would be known.
    with jax.ensure_compile_time_eval():
        results = [value_of(atom) for atom in parts(jaxpr)[0].outvars]
        return [None if result is None else np.asarray(result) for result in results]


def known_values(jaxpr: Closed, wanted: Callable[[JaxprEqn], bool] = lambda eqn: True) -> ValueOf:
    """What depends on no argument of a program and on no tracer.

    Args:
        jaxpr: The program.
        wanted: Which equations are evaluated for it; by default all that can be.
    """
    program, consts = parts(jaxpr)
    values = {v: value for v, value in zip(program.constvars, consts, strict=True) if not is_traced(value)}
    value_of = lambda atom: atom.val if isinstance(atom, Literal) else values.get(atom)  # noqa: E731
    # Under an outer `jit` even equations of constants would be staged out, and nothing would be known.
    with jax.ensure_compile_time_eval():
        for eqn in program.eqns:
            operands = [value_of(atom) for atom in eqn.invars]
            # An effect would happen here, while tracing, and again when the program is run.
            if eqn.effects or any(operand is None for operand in operands) or not wanted(eqn):
                continue
            # What is known is the same on every device, and outside of the mesh there is nothing to mark.
            is_mark = eqn.primitive.name in DEVICE_MARKS
            found = operands if is_mark else bind(eqn.primitive, operands, eqn.params)
            values.update(zip(eqn.outvars, found, strict=True))
    return value_of

"""Results of a program that are known while tracing, although the program is not run."""

from __future__ import annotations

import jax
import numpy as np

from dof.jax_compat import Closed, Literal, bind, is_traced, parts
from dof.jaxpr.program_signature import DEVICE_MARKS


def known_results(jaxpr: Closed) -> list[np.ndarray | None]:
    """For each result its value, if it depends on no argument of the program and on no tracer; else None."""
    program, consts = parts(jaxpr)
    values = {v: value for v, value in zip(program.constvars, consts, strict=True) if not is_traced(value)}
    value_of = lambda atom: atom.val if isinstance(atom, Literal) else values.get(atom)  # noqa: E731
    # Under an outer `jit` even equations of constants would be staged out, and nothing would be known.
    with jax.ensure_compile_time_eval():
        for eqn in program.eqns:
            operands = [value_of(atom) for atom in eqn.invars]
            # An effect would happen here, while tracing, and again when the program is run.
            if eqn.effects or any(operand is None for operand in operands):
                continue
            # What is known is the same on every device, and outside of the mesh there is nothing to mark.
            is_mark = eqn.primitive.name in DEVICE_MARKS
            found = operands if is_mark else bind(eqn.primitive, operands, eqn.params)
            values.update(zip(eqn.outvars, found, strict=True))
        results = [value_of(atom) for atom in program.outvars]
        return [None if result is None else np.asarray(result) for result in results]

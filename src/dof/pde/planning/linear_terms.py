"""Which derivatives enter a residual with coefficients that do not depend on the unknown functions.

    residual = Σ_k c_k(x) D_k u + rest(u, other derivatives, x)

Found from the traced residual: such a derivative goes through linear steps only, and is multiplied by nothing that
depends on fields. It is read off the program, not off its Jacobian: a step function has derivative zero too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from jax import lax

from dof.jax_compat import Closed, Literal, find_primitive, program_of
from dof.jaxpr.program import Program, Step, as_program, written_out
from dof.jaxpr.registry import family_of
from dof.triples.triple import is_smooth


class State(NamedTuple):
    """Of a value: the reads that it is an affine function of, and whether it depends on fields in other ways."""

    reads: frozenset[int]
    on_fields: bool


FREE = State(frozenset(), False)


JIT = find_primitive("jit")
NOT_LINEAR = {find_primitive(name) for name in ("scatter-max", "scatter-min")}
"""Among those that move elements."""


def affine_reads(jaxpr: Closed, roles: Sequence[int | None]) -> set[int]:
    """The reads that enter in that way. A role is the number of a read, −1 for the value of a field, else None."""
    program = written_out(jaxpr, [role is not None for role in roles])
    states = [
        FREE if role is None else State(frozenset() if role < 0 else frozenset((role,)), role < 0) for role in roles
    ]
    spoiled: set[int] = set()
    _walk(program, states, spoiled)
    return {role for role in roles if role is not None and role >= 0} - spoiled


def _walk(program: Program, inputs: Sequence[State], spoiled: set[int]) -> list[State]:
    """The states of the results; the reads that enter in other ways are added to `spoiled`."""
    states = dict(zip(program.inputs, inputs, strict=True))
    state_of = lambda atom: FREE if isinstance(atom, Literal) else states.get(atom, FREE)  # noqa: E731
    for step in program.steps:
        operands = list(map(state_of, step.reads))
        if step.eqn.primitive is JIT:
            results = _walk(as_program(program_of(step.eqn.params)), operands, spoiled)
        else:
            result = _after(step, operands)
            if result is None:
                spoiled.update(*(operand.reads for operand in operands))
                result = State(frozenset(), True)
            results = [result] * len(step.writes)
        states.update(zip(step.writes, results, strict=True))
    return list(map(state_of, program.outputs))


def _after(step: Step, operands: Sequence[State]) -> State | None:
    """The state of the results; None if they are no affine function of the reads."""
    together = State(frozenset().union(*(o.reads for o in operands)), any(o.on_fields for o in operands))
    if not together.reads:
        return together
    family, eqn = family_of(step.eqn.primitive), step.eqn
    if not all(is_smooth(v.aval) for v in eqn.outvars):
        return None
    if family == "bilinear":
        first, second = operands
        other = first if second.reads else second
        divides = eqn.primitive is lax.div_p and bool(second.reads)
        return None if other != FREE or divides else together
    if family in ("linear", "indexing") and eqn.primitive not in NOT_LINEAR:
        chosen_by = [o for o, v in zip(operands, eqn.invars, strict=True) if not is_smooth(v.aval)]
        return together if all(o == FREE for o in chosen_by) else None
    return None

"""Which arguments enter a program linearly, with coefficients that do not depend on the unknowns.

    F = Σ_k c_k(x) d_k + rest(u, other d, x)

An argument d_k enters in this way if it goes through linear steps only and is multiplied by nothing that depends on
unknowns. It is read off the program, not off its Jacobian: a step function has derivative zero too.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from dof.jax_compat import Closed, Literal
from dof.jaxpr.inlining import written_out
from dof.jaxpr.program import Program, Step, as_program
from dof.jaxpr.registry import LINEAR_FAMILIES, record_of
from dof.triples.triple import is_smooth


class Role(Enum):
    """What an argument of a program is."""

    CANDIDATE = "may enter linearly"
    UNKNOWN = "an unknown, which coefficients must not depend on"
    GIVEN = "given, which coefficients may depend on"


class _Dependence(NamedTuple):
    """How a value depends on the arguments of a program.

    Attributes:
        candidates: numbers of the candidates that it is an affine function of.
        on_unknowns: whether it depends on unknowns, or on candidates in another way.
    """

    candidates: frozenset[int]
    on_unknowns: bool


_FREE = _Dependence(frozenset(), False)


def linear_arguments(jaxpr: Closed, roles: Sequence[Role]) -> set[int]:
    """The numbers of the candidates that enter all results linearly, with coefficients free of unknowns."""
    program = written_out(jaxpr, [role is not Role.GIVEN for role in roles])
    inputs = [_dependence_of_argument(n, role) for n, role in enumerate(roles)]
    spoiled: set[int] = set()
    _dependences(program, inputs, spoiled)
    return {n for n, role in enumerate(roles) if role is Role.CANDIDATE} - spoiled


def _dependence_of_argument(n: int, role: Role) -> _Dependence:
    if role is Role.GIVEN:
        return _FREE
    is_candidate = role is Role.CANDIDATE
    return _Dependence(frozenset((n,)) if is_candidate else frozenset(), not is_candidate)


def _dependences(program: Program, inputs: Sequence[_Dependence], spoiled: set[int]) -> list[_Dependence]:
    """The dependence of the results; candidates that enter in other ways are added to `spoiled`."""
    found = dict(zip(program.inputs, inputs, strict=True))
    dependence_of = lambda atom: _FREE if isinstance(atom, Literal) else found.get(atom, _FREE)  # noqa: E731
    for step in program.steps:
        operands = list(map(dependence_of, step.reads))
        record = record_of(step.eqn.primitive)
        if record is not None and record.inner is not None and record.inner.is_inlined:
            (inner,) = record.inner.of(step.eqn.params)
            results = _dependences(as_program(inner), operands, spoiled)
        else:
            result = _after(step, operands)
            if result is None:
                spoiled.update(*(operand.candidates for operand in operands))
                result = _Dependence(frozenset(), True)
            results = [result] * len(step.writes)
        found.update(zip(step.writes, results, strict=True))
    return list(map(dependence_of, program.outputs))


def _after(step: Step, operands: Sequence[_Dependence]) -> _Dependence | None:
    """The dependence of the results; None if they are no affine function of the candidates."""
    together = _Dependence(frozenset().union(*(o.candidates for o in operands)), any(o.on_unknowns for o in operands))
    if not together.candidates:
        return together
    eqn, record = step.eqn, record_of(step.eqn.primitive)
    # A result that is no floating number, as of a comparison, is a step function of its operands.
    if record is None or not all(is_smooth(v.aval) for v in eqn.outvars):
        return None
    if record.family == "bilinear":
        varying = [bool(o.candidates) for o in operands]
        others_are_free = all(o == _FREE for o in operands if not o.candidates)
        return together if record.has_no_curvature(eqn.params, varying) and others_are_free else None
    if record.family in LINEAR_FAMILIES:
        # An index or a mask that depends on unknowns makes the coefficients depend on them.
        chosen_by = [o for o, v in zip(operands, eqn.invars, strict=True) if not is_smooth(v.aval)]
        return together if all(o == _FREE for o in chosen_by) else None
    return None

"""A traced program as a list of steps, with calls written out, and what is known of the steps before any is taken."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jax import lax

from dof.jax_compat import (
    Closed,
    JaxprEqn,
    Literal,
    find_primitive,
    is_reference,
    parts,
    program_of,
    shape_of,
    source_line,
)
from dof.jaxpr.elementwise_programs import nonlinear_steps
from dof.jaxpr.registry import WITHOUT_CURVATURE, family_of
from dof.triples.triple import is_smooth

Name = Hashable
"""What a value is called: its variable, or a number where calls are written out."""


class Step(NamedTuple):
    """An equation, the values that it reads (names or literals) and those that it writes."""

    eqn: JaxprEqn
    reads: tuple[Any, ...]
    writes: tuple[Name, ...]

    @property
    def names(self) -> list[Name]:
        """The names among what it reads."""
        return [atom for atom in self.reads if not isinstance(atom, Literal)]


@dataclass(frozen=True)
class Program:
    inputs: Sequence[Name]
    outputs: Sequence[Any]
    steps: list[Step]
    constants: dict[Name, Any]

    @property
    def output_names(self) -> set[Name]:
        return {atom for atom in self.outputs if not isinstance(atom, Literal)}


def as_program(jaxpr: Closed) -> Program:
    program, consts = parts(jaxpr)
    steps = [Step(eqn, tuple(eqn.invars), tuple(eqn.outvars)) for eqn in program.eqns]
    return live(Program(program.invars, program.outvars, steps, dict(zip(program.constvars, consts, strict=True))))


def read(env: dict[Name, Any], atom: Any) -> Any:
    return atom.val if isinstance(atom, Literal) else env[atom]


def live(program: Program) -> Program:
    """Without the steps that neither results nor side effects need."""
    needed = set(program.output_names)
    kept = []
    for step in reversed(program.steps):
        if step.eqn.effects or not needed.isdisjoint(step.writes):
            kept.append(step)
            needed.update(step.names)
    return Program(program.inputs, program.outputs, kept[::-1], program.constants)


def creates_references(jaxpr: Closed) -> bool:
    """Whether a program has mutable state of its own: from outside it is a function like any other."""
    return any(is_reference(v.aval) for eqn in parts(jaxpr)[0].eqns for v in eqn.outvars)


def written_out(jaxpr: Closed, varying: Sequence[bool]) -> Program:
    """The program in one piece. Calls of elementwise functions stay: they have a law of their own."""
    writer = _Writer()
    inputs = [writer.new_name() for _ in varying]
    writer.depends = {name for name, varies in zip(inputs, varying, strict=True) if varies}
    outputs = writer.write(jaxpr, inputs)
    return live(Program(inputs, outputs, writer.steps, writer.constants))


class _Writer:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.constants: dict[Name, Any] = {}
        self.depends: set[Name] = set()
        self.written: dict[Hashable, tuple[Name, ...]] = {}
        self.count = 0

    def new_name(self) -> Name:
        self.count += 1
        return self.count

    def write(self, jaxpr: Closed, inputs: Sequence[Any], call: JaxprEqn | None = None) -> list[Any]:
        """Append the steps of a program; gives its outputs. Inside of a function of JAX itself it is the call that has
        a place in the source of the user."""
        program, consts = parts(jaxpr)
        atoms = {v: self.new_name() for v in program.constvars}
        self.constants.update((atoms[v], value) for v, value in zip(program.constvars, consts, strict=True))
        atoms.update(zip(program.invars, inputs, strict=True))
        read = lambda atom: atom if isinstance(atom, Literal) else atoms[atom]  # noqa: E731
        for inner in program.eqns:
            eqn = inner.replace(source_info=call.source_info) if call and not source_line(inner) else inner
            reads = tuple(map(read, eqn.invars))
            atoms.update(zip(eqn.outvars, self._results(eqn, reads), strict=True))
        return [read(atom) for atom in program.outvars]

    def _results(self, eqn: JaxprEqn, reads: tuple[Any, ...]) -> Sequence[Any]:
        varying = varying_reads(reads, self.depends)
        if _is_plain_call(eqn, varying):
            return self.write(program_of(eqn.params), reads, eqn)
        key = _key(eqn, reads)
        if key in self.written:
            return self.written[key]
        step = Step(eqn, reads, tuple(self.new_name() for _ in eqn.outvars))
        self.steps.append(step)
        self.depends.update(dependent_writes(step, self.depends))
        if key is not None:
            self.written[key] = step.writes
        return step.writes


def _key(eqn: JaxprEqn, reads: Sequence[Any]) -> Hashable | None:
    """Equal for equations that compute the same: a network that is called twice need be walked once only."""
    atoms = tuple((str(a.aval), str(a.val)) if isinstance(a, Literal) else a for a in reads)
    key = (eqn.primitive, atoms, tuple(sorted(eqn.params.items(), key=lambda item: item[0])))
    try:
        hash(key)
    except TypeError:
        return None
    return None if eqn.effects or any(isinstance(a, Literal) and np.ndim(a.val) for a in reads) else key


def varying_reads(reads: Sequence[Any], depends: Collection[Name]) -> list[bool]:
    return [not isinstance(atom, Literal) and atom in depends for atom in reads]


def dependent_writes(step: Step, depends: Collection[Name]) -> list[Name]:
    """The results that may have derivatives, given the values that have some."""
    if not any(varying_reads(step.reads, depends)) or family_of(step.eqn.primitive) == "constant":
        return []
    results = zip(step.writes, step.eqn.outvars, strict=True)
    return [name for name, v in results if is_smooth(v.aval) and 0 not in shape_of(v)]


_CALLS = {find_primitive(name) for name in ("jit", "closed_call", "call", "custom_vjp_call", "composite")}


def _is_plain_call(eqn: JaxprEqn, varying: Sequence[bool]) -> bool:
    """A call that is the same as its program, of which more is to be seen than from outside."""
    if eqn.primitive not in _CALLS or family_of(eqn.primitive) != "call" or not any(varying):
        return False
    inner = program_of(eqn.params)
    return nonlinear_steps(inner, varying) is None and not creates_references(inner)


def is_linear(step: Step, depends: Collection[Name]) -> bool:
    """Whether the second derivative vanishes, so that no tangents are needed for what is applied to the results."""
    varying, family = varying_reads(step.reads, depends), family_of(step.eqn.primitive)
    if family == "bilinear":
        return sum(varying) == 1 and not (step.eqn.primitive is lax.div_p and varying[1])
    if step.eqn.primitive in _CALLS and family == "call":
        return nonlinear_steps(program_of(step.eqn.params), varying) == 0
    return family in WITHOUT_CURVATURE

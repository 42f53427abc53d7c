"""A traced program with calls written out, equal equations joined, and broadcast parts of products multiplied once."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from dof.jax_compat import Closed, JaxprEqn, Literal, parts, source_line
from dof.jaxpr.broadcast_products import split_product, varying_operand
from dof.jaxpr.dependence import Name, dependent_writes, varying_reads
from dof.jaxpr.elementwise_programs import nonlinear_steps
from dof.jaxpr.program import Program, Step, creates_references, live
from dof.jaxpr.registry import record_of
from dof.jaxpr.repeated_values import Repeated, repeated_value


def written_out(jaxpr: Closed, varying: Sequence[bool]) -> Program:
    """The program with calls written out in place, and equal equations joined.

    Calls of elementwise functions stay, because they have a rule of their own.

    Args:
        jaxpr: the program.
        varying: which of its arguments depend on x.
    """
    writer = _Writer()
    inputs = [writer.new_name() for _ in varying]
    writer.depends = {name for name, varies in zip(inputs, varying, strict=True) if varies}
    outputs = writer.write(jaxpr, inputs)
    return live(Program(inputs, outputs, writer.steps, writer.constants))


class _Writer:
    """Appends the equations of programs to one list of steps."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.constants: dict[Name, Any] = {}
        self.depends: set[Name] = set()
        self.written: dict[Hashable, tuple[Name, ...]] = {}
        self.joins: dict[Name, Step] = {}
        self.repeated: dict[Name, Repeated] = {}
        self.count = 0

    def new_name(self) -> Name:
        self.count += 1
        return self.count

    def write(self, jaxpr: Closed, inputs: Sequence[Any], call: JaxprEqn | None = None) -> list[Any]:
        """Append the steps of a program and return its outputs.

        An equation without a line in the user's source, inside of a function of JAX, gets the line of the call.
        """
        program, consts = parts(jaxpr)
        # New names each time: a function that is called twice has the same variables in both calls.
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
        inlined = _inlined_program(eqn, varying)
        if inlined is not None:
            return self.write(inlined, reads, eqn)
        # XLA would join equal equations as well, but only after the interpreter has walked both.
        key = _key(eqn, reads)
        if key not in self.written or key is None:
            writes = self._split(eqn, reads, varying) or self._append_step(eqn, reads)
            if key is None:
                return writes
            self.written[key] = writes
        return self.written[key]

    def _append_step(self, eqn: JaxprEqn, reads: tuple[Any, ...]) -> tuple[Name, ...]:
        step = Step(eqn, reads, tuple(self.new_name() for _ in eqn.outvars))
        self.steps.append(step)
        if eqn.primitive.name == "concatenate":
            self.joins[step.writes[0]] = step
        self.depends.update(dependent_writes(eqn, reads, step.writes, self.depends))
        found = repeated_value(eqn, reads, self.repeated, partial(self._append_function, eqn))
        if found:
            self.repeated[step.writes[0]] = found
        return step.writes

    def _split(self, eqn: JaxprEqn, reads: tuple[Any, ...], varying: Sequence[bool]) -> tuple[Name, ...] | None:
        """A matrix product with a broadcast part, as a sum; None if it is none."""
        operand = varying_operand(eqn, reads, varying, self.joins, self.repeated)
        if operand is None:
            return None
        other = 1 - operand.side
        append = partial(self._append_function, eqn)
        name = split_product(eqn, operand, (reads[other], eqn.invars[other].aval), append)
        return None if name is None else (name,)

    def _append_function(
        self, eqn: JaxprEqn, function: Callable[..., Any], names: Sequence[Name], avals: Sequence[Any]
    ) -> Name:
        """The name of what a function returns, after its equations were appended in place of `eqn`."""
        (name,) = self.write(jax.make_jaxpr(function)(*avals), names, eqn)
        return name


def _key(eqn: JaxprEqn, reads: Sequence[Any]) -> Hashable | None:
    """Equal for equations that compute the same, so that a network that is called twice is propagated once.

    None if the equation has side effects or parameters that cannot be compared.
    """
    # As text, because NaN is not equal to itself; with its type, because 1 is equal to 1.0 and to True.
    atoms = tuple((str(a.aval), str(a.val)) if isinstance(a, Literal) else a for a in reads)
    key = (eqn.primitive, atoms, tuple(sorted(eqn.params.items(), key=lambda item: item[0])))
    try:
        hash(key)
    except TypeError:
        return None
    # The text of a long array leaves out most of it, so literals with axes are never joined.
    return None if eqn.effects or any(isinstance(a, Literal) and np.ndim(a.val) for a in reads) else key


def _inlined_program(eqn: JaxprEqn, varying: Sequence[bool]) -> Closed | None:
    """The program that may be written out in place of a call; None if the call stays."""
    record = record_of(eqn.primitive)
    if record is None or record.inner is None or not record.inner.is_inlined or not any(varying):
        return None
    (inner,) = record.inner.of(eqn.params)
    is_elementwise = nonlinear_steps(inner, varying) is not None
    # References must not get loose: a program that creates them is taken as a whole, by the general rule.
    return None if is_elementwise or creates_references(inner) else inner

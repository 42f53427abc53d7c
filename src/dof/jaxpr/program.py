"""A traced program as a list of steps, and which of its values are needed how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dof.jax_compat import Closed, JaxprEqn, Literal, is_reference, parts
from dof.jaxpr.dependence import Name


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
    """Steps in order, with the names of inputs and outputs and the values of constants."""

    inputs: Sequence[Name]
    outputs: Sequence[Any]
    steps: list[Step]
    constants: dict[Name, Any]

    @property
    def output_names(self) -> set[Name]:
        """The outputs that are no literals."""
        return {atom for atom in self.outputs if not isinstance(atom, Literal)}


def as_program(jaxpr: Closed) -> Program:
    """The equations of a jaxpr as they stand, without those that nothing needs."""
    program, consts = parts(jaxpr)
    steps = [Step(eqn, tuple(eqn.invars), tuple(eqn.outvars)) for eqn in program.eqns]
    return live(Program(program.invars, program.outvars, steps, dict(zip(program.constvars, consts, strict=True))))


def read(env: dict[Name, Any], atom: Any) -> Any:
    """The value of a name, or of a literal."""
    return atom.val if isinstance(atom, Literal) else env[atom]


def live(program: Program) -> Program:
    """The program without the steps that neither results nor side effects need."""
    needed = set(program.output_names)
    kept = []
    for step in reversed(program.steps):
        if step.eqn.effects or not needed.isdisjoint(step.writes):
            kept.append(step)
            needed.update(step.names)
    return Program(program.inputs, program.outputs, kept[::-1], program.constants)


def last_uses(steps: Sequence[Step], kept: Collection[Name] = ()) -> dict[Name, int]:
    """For each name, the number of the last step that reads it; those that are kept have the number after the last."""
    uses: dict[Name, int] = {name: n for n, step in enumerate(steps) for name in step.names}
    return uses | dict.fromkeys(kept, len(steps))


def use_counts(jaxpr: Closed) -> Counter[Name]:
    """How often each name is read, by equations and as a result."""
    program, _ = parts(jaxpr)
    atoms = [*(v for eqn in program.eqns for v in eqn.invars), *program.outvars]
    return Counter(v for v in atoms if not isinstance(v, Literal))


def creates_references(jaxpr: Closed) -> bool:
    """Whether a program creates mutable references. Seen from outside it is a function, and takes the general rule."""
    return any(is_reference(v.aval) for eqn in parts(jaxpr)[0].eqns for v in eqn.outvars)

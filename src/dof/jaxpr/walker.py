"""The walk over a traced program: it takes each equation in turn and frees each value after its last use.

What is carried for a value is the choice of the subclass: slot triples (`interpreter.py`) or jets of any order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from typing import Any

import jax

from dof.errors import DofError
from dof.jax_compat import Closed, JaxprEqn, bind, equation_context, is_reference, is_traced, shape_of
from dof.jaxpr.dependence import Name
from dof.jaxpr.diagnostics import raise_with_source, refuse_reference
from dof.jaxpr.inlining import written_out
from dof.jaxpr.program import Step, creates_references, last_uses, read
from dof.jaxpr.program_signature import needs_devices
from dof.jaxpr.rules.known_indices import names_of_indices
from dof.triples.triple import depends_on_x, is_smooth, value_of


class Walker(ABC):
    """Propagates what is carried for values through programs."""

    @property
    def order(self) -> int:
        """How often functions are differentiated."""
        return 2

    @abstractmethod
    def by_rule(self, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """The results of an equation some of whose operands depend on x."""

    @abstractmethod
    def as_a_whole(self, jaxpr: Closed, operands: Sequence[Any]) -> Sequence[Any]:
        """The results of a program that cannot be walked, because it has mutable references of its own."""

    @abstractmethod
    def inside(self) -> Walker:
        """The walker for an inner program."""

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Propagate through a function of arrays that returns a list of arrays."""
        return self(jax.make_jaxpr(function)(*map(value_of, operands)), operands)

    def __call__(self, jaxpr: Closed, operands: Sequence[Any]) -> list[Any]:
        """Propagate through a program; results that do not depend on x are plain arrays."""
        varying = [depends_on_x(operand) for operand in operands]
        if creates_references(jaxpr) and any(varying):
            return list(self.as_a_whole(jaxpr, operands))
        program = written_out(jaxpr, varying)
        env = {**program.constants, **dict(zip(program.inputs, operands, strict=True))}
        self.inside().run(program.steps, env, program.output_names)
        return [read(env, atom) for atom in program.outputs]

    def run(self, steps: Sequence[Step], env: dict[Name, Any], kept: Collection[Name]) -> None:
        """Take the steps, one after the other, and free each value after its last use unless it is kept.

        Args:
            steps: the steps.
            env: the values by name; results are added.
            kept: names that are not freed.
        """
        # Outside of `jit` the values are arrays, not tracers: those of all layers would stay in memory.
        last_use = last_uses(steps, kept)
        indices = names_of_indices(steps)
        for n, step in enumerate(steps):
            operands = [read(env, atom) for atom in step.reads]
            are_known = not any(depends_on_x(o) or is_traced(o) for o in operands)
            is_index = are_known and not indices.isdisjoint(step.writes) and not needs_devices(step.eqn)
            # Inside jit even constants would become tracers, and known gather indices could no longer be looked at.
            with jax.ensure_compile_time_eval() if is_index else nullcontext():
                results = self.step(step.eqn, operands)
            env.update((name, self.reduced(name, result)) for name, result in zip(step.writes, results, strict=True))
            for name in step.names:
                if last_use[name] == n:
                    # A step may read one name twice.
                    env.pop(name, None)

    def reduced(self, name: Name, result: Any) -> Any:
        """What is kept of the result of a step."""
        return result

    def step(self, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """The results of one equation; it is evaluated on plain values if no operand depends on x or no result can."""
        with equation_context(eqn):
            depends = any(map(depends_on_x, operands))
            # Checked first: a write has no floating result, so it would be evaluated as it stands and lose derivatives.
            if depends and any(is_reference(v.aval) for v in (*eqn.invars, *eqn.outvars)):
                refuse_reference(eqn)
            if not depends or not any(is_smooth(v.aval) and 0 not in shape_of(v) for v in eqn.outvars):
                return bind(eqn.primitive, [value_of(operand) for operand in operands], eqn.params)
            try:
                return self.by_rule(eqn, operands)
            # Raised by an equation of an inner program, with its own place, or by a check of a user's rule.
            except DofError:
                raise
            except Exception as error:
                raise_with_source(eqn, operands, error, self.order)

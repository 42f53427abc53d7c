"""The walk over a traced program: each equation in turn, on triples."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import jax

from dof.errors import DofError
from dof.jax_compat import (
    Closed,
    JaxprEqn,
    as_function,
    bind,
    equation_context,
    is_reference,
    shape_of,
)
from dof.jaxpr.diagnostics import checked, raise_with_source, refuse_reference
from dof.jaxpr.program import Name, Step, as_program, creates_references, read
from dof.jaxpr.registry import LINEAR, POINTWISE, STRUCTURED, Entry
from dof.jaxpr.rules import RULES
from dof.jaxpr.rules.general import general, general_rule
from dof.jaxpr.static_gather import flow_of, is_known, names_of_positions
from dof.jaxpr.trace_log import JOINED, SUMMED, TOO_MANY, WHOLE, Log, record
from dof.options import DEFAULT, Options
from dof.sparsity.modes import flowing, framed, pointwise, spreading
from dof.sparsity.scatter_sums import inner_or_outer, spread_sum
from dof.triples.quadratic_form import Form
from dof.triples.slots import Rows
from dof.triples.tangents import has_tangents
from dof.triples.triple import Triple, is_smooth, value_of


@dataclass(frozen=True)
class Walk:
    """Propagates triples through programs; rules get it as their first argument and use it for inner programs."""

    form: Form
    options: Options = DEFAULT
    log: Log | None = None
    depth: int = 0
    """How many calls and loops are around."""
    memory: dict[Any, Any] = field(default_factory=dict)
    """What loops found out about their programs."""

    def with_form(self, form: Form) -> Walk:
        return replace(self, form=form, memory={})

    def unlogged(self) -> Walk:
        return replace(self, log=None)

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Walk through a function of arrays that returns a list of arrays."""
        return self(jax.make_jaxpr(function)(*map(value_of, operands)), operands)

    def __call__(self, jaxpr: Closed, operands: Sequence[Any]) -> list[Any]:
        """The results of `jaxpr` as triples, or as plain arrays where they do not depend on x."""
        if creates_references(jaxpr) and any(isinstance(operand, Triple) for operand in operands):
            return list(
                framed(self, lambda plain, *inner: general(plain.form, as_function(jaxpr), inner), operands, {})
            )
        program = as_program(jaxpr)
        env = {**program.constants, **dict(zip(program.inputs, operands, strict=True))}
        replace(self, depth=self.depth + 1).run(program.steps, env, program.output_names)
        return [read(env, atom) for atom in program.outputs]

    def run(self, steps: Sequence[Step], env: dict[Name, Any], kept: Collection[Name]) -> None:
        """Take the steps, one after the other; values that no later step reads are freed."""
        last_use = {name: n for n, step in enumerate(steps) for name in step.names}
        positions = names_of_positions(steps)
        for n, step in enumerate(steps):
            operands = [read(env, atom) for atom in step.reads]
            is_position = not positions.isdisjoint(step.writes) and all(map(is_known, operands))
            with jax.ensure_compile_time_eval() if is_position else nullcontext():
                results = self.step(step.eqn, operands)
            env.update(zip(step.writes, results, strict=True))
            for name in step.names:
                if last_use[name] == n and name not in kept:
                    env.pop(name, None)

    def step(self, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """One equation. If nothing varies, or no result has floating elements, it is evaluated as it stands."""
        with equation_context(eqn):
            depends = any(isinstance(operand, Triple) for operand in operands)
            if depends and any(is_reference(v.aval) for v in (*eqn.invars, *eqn.outvars)):
                refuse_reference(eqn)
            if not depends or not any(is_smooth(v.aval) and 0 not in shape_of(v) for v in eqn.outvars):
                return bind(eqn.primitive, [value_of(operand) for operand in operands], eqn.params)
            entry = RULES.get(eqn.primitive) or Entry(general_rule(eqn.primitive), "general")
            place = len(self.log) if self.log is not None else 0
            try:
                results, note = self._by(entry, eqn, operands)
                if self.log is not None:  # before what was written down for an inner program, which says more
                    why = "" if len(self.log) > place else note
                    self.log.insert(place, record(eqn, entry.family, operands, results, self, why))
                return results
            except DofError:
                raise
            except Exception as error:
                raise_with_source(eqn, operands, error)

    def _by(self, entry: Entry, eqn: JaxprEqn, operands: Sequence[Any]) -> tuple[Sequence[Any], str]:
        """The results by a rule, keeping as much structure as pays; and why not more was kept."""
        rule = checked(entry.rule, eqn) if entry.family == "registered" else entry.rule
        if eqn.primitive in STRUCTURED:
            return rule(self, *operands, **eqn.params), WHOLE
        why = JOINED
        if not all(o.tangents.rows.is_uniform for o in operands if has_tangents(o)):
            results, why = self._apart(entry, rule, eqn, operands)
            if results is not None:
                return results, why
        return framed(self, rule, operands, eqn.params), why

    def _apart(self, entry: Entry, rule: Any, eqn: JaxprEqn, operands: Sequence[Any]) -> tuple[Any, str]:
        """The results if elements can keep directions of their own, or else None; and why there are more, or none."""
        if eqn.primitive in POINTWISE:
            return pointwise(self, rule, operands, eqn.params, shape_of(eqn.outvars[0])), TOO_MANY
        flow = flow_of(eqn.primitive, operands) if entry.family in LINEAR else None
        if flow is None:
            return None, f"it is not known how directions go through `{eqn.primitive.name}`"
        if flow.one_side_only and sum(map(has_tangents, operands)) > 1:
            product = inner_or_outer(eqn.primitive, eqn.params, operands)
            return (self.through(product, operands) if product else None), "both operands depend on x"
        tangents = spread_sum(eqn.primitive, eqn.params, operands)
        if tangents is not None:
            return spreading(self, rule, operands, eqn.params, tangents), SUMMED
        return flowing(self, rule, operands, eqn.params, flow), TOO_MANY

    def keeps(self, these: Rows, directions: int) -> bool:
        """Whether slots for each element are fewer than the directions of all, by enough to make up for masks."""
        enough = 1 if self.options.structure == "sparse" else 2
        return enough * len(these) <= directions

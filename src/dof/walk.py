"""The walk over a traced program: each equation in turn, on triples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from dof.diagnose import checked, raise_with_source, refuse_reference
from dof.errors import DofError
from dof.flow import FLOWS
from dof.form import Form
from dof.jax_compat import (
    Closed,
    JaxprEqn,
    Literal,
    as_function,
    bind,
    equation_context,
    is_reference,
    parts,
    shape_of,
)
from dof.rows import Rows
from dof.rules import RULES
from dof.rules.general import general, general_rule
from dof.rules.registry import LINEAR, POINTWISE, STRUCTURED, Entry
from dof.spread import spread_sum
from dof.structure import flowing, framed, pointwise, spreading
from dof.tangents import has_tangents
from dof.triple import Triple, is_smooth, value_of


@dataclass(frozen=True)
class Walk:
    """Propagates triples through programs; rules get it as their first argument and use it for inner programs."""

    form: Form
    memory: dict[Any, Any] = field(default_factory=dict)
    """What loops found out about their programs."""

    def with_form(self, form: Form) -> Walk:
        return Walk(form)

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Walk through a function of arrays that returns a list of arrays."""
        return self(jax.make_jaxpr(function)(*map(value_of, operands)), operands)

    def __call__(self, jaxpr: Closed, operands: Sequence[Any]) -> list[Any]:
        """The results of `jaxpr` as triples, or as plain arrays where they do not depend on x."""
        program, consts = parts(jaxpr)
        if creates_references(program) and any(isinstance(operand, Triple) for operand in operands):
            return list(
                framed(self, lambda plain, *inner: general(plain.form, as_function(jaxpr), inner), operands, {})
            )
        env: dict[Any, Any] = dict(zip(program.constvars, consts, strict=True))
        env.update(zip(program.invars, operands, strict=True))
        equations = live_equations(program)
        last_use = {v: n for n, eqn in enumerate(equations) for v in eqn.invars if not isinstance(v, Literal)}
        kept = {v for v in program.outvars if not isinstance(v, Literal)}
        for n, eqn in enumerate(equations):
            results = self.step(eqn, [_read(env, v) for v in eqn.invars])
            env.update(zip(eqn.outvars, results, strict=True))
            for v in eqn.invars:  # free what is dead
                if not isinstance(v, Literal) and last_use[v] == n and v not in kept:
                    env.pop(v, None)
        return [_read(env, v) for v in program.outvars]

    def step(self, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """One equation. If nothing varies, or no result has floating elements, it is evaluated as it stands."""
        with equation_context(eqn):
            depends = any(isinstance(operand, Triple) for operand in operands)
            if depends and any(is_reference(v.aval) for v in (*eqn.invars, *eqn.outvars)):
                refuse_reference(eqn)
            if not depends or not any(is_smooth(v.aval) and 0 not in shape_of(v) for v in eqn.outvars):
                return bind(eqn.primitive, [value_of(operand) for operand in operands], eqn.params)
            entry = RULES.get(eqn.primitive) or Entry(general_rule(eqn.primitive), "general")
            try:
                return self._by(entry, eqn, operands)
            except DofError:
                raise
            except Exception as error:
                raise_with_source(eqn, operands, error)

    def _by(self, entry: Entry, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """The results by a rule, keeping as much structure as pays."""
        rule = checked(entry.rule, eqn) if entry.family == "registered" else entry.rule
        if eqn.primitive in STRUCTURED:
            return rule(self, *operands, **eqn.params)
        if all(o.tangents.rows.is_uniform for o in operands if has_tangents(o)):
            return framed(self, rule, operands, eqn.params)
        if eqn.primitive in POINTWISE:
            return pointwise(self, rule, operands, eqn.params, shape_of(eqn.outvars[0]))
        flow = FLOWS.get(eqn.primitive) if entry.family in LINEAR else None
        if flow is None or (flow.one_side_only and sum(map(has_tangents, operands)) > 1):
            return framed(self, rule, operands, eqn.params)
        tangents = spread_sum(eqn.primitive, eqn.params, operands)
        if tangents is not None:
            return spreading(self, rule, operands, eqn.params, tangents)
        return flowing(self, rule, operands, eqn.params, flow)

    def keeps(self, these: Rows) -> bool:
        """Whether slots for each element are fewer than the directions of all, by enough to make up for masks."""
        return 2 * len(these) <= len(these.directions)


def creates_references(program: Any) -> bool:
    """Whether a program has mutable state of its own: from outside it is a function like any other."""
    return any(is_reference(v.aval) for eqn in program.eqns for v in eqn.outvars)


def _read(env: dict[Any, Any], atom: Any) -> Any:
    return atom.val if isinstance(atom, Literal) else env[atom]


def live_equations(program: Any) -> list[JaxprEqn]:
    """The equations that the results or side effects of the program need."""
    needed = {v for v in program.outvars if not isinstance(v, Literal)}
    live = []
    for eqn in reversed(program.eqns):
        if eqn.effects or any(v in needed for v in eqn.outvars):
            live.append(eqn)
            needed.update(v for v in eqn.invars if not isinstance(v, Literal))
    return live[::-1]

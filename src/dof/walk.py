"""The walk over a traced program: each equation in turn, on triples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import jax

from dof.errors import DofError, NotDifferentiableError, describe
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
    source_line,
)
from dof.rules import RULES
from dof.rules.general import general, general_rule
from dof.rules.push import Function, function_of, restrict
from dof.triple import Triple, is_smooth, value_of


@dataclass(frozen=True)
class Walk:
    """Propagates triples through programs; rules get it as their first argument and use it for inner programs."""

    form: Form

    def with_form(self, form: Form) -> Walk:
        return Walk(form)

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Walk through a function of arrays that returns a list of arrays."""
        return self(jax.make_jaxpr(function)(*map(value_of, operands)), operands)

    def __call__(self, jaxpr: Closed, operands: Sequence[Any]) -> list[Any]:
        """The results of `jaxpr` as triples, or as plain arrays where they do not depend on x."""
        program, consts = parts(jaxpr)
        if creates_references(program) and any(isinstance(operand, Triple) for operand in operands):
            return general(self.form, as_function(jaxpr), operands)
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
        """One equation. What depends on nothing that varies, or has no floating result, is evaluated as it stands."""
        with equation_context(eqn):
            depends = any(isinstance(operand, Triple) for operand in operands)
            if depends and any(is_reference(v.aval) for v in (*eqn.invars, *eqn.outvars)):
                refuse_reference(eqn)
            if not depends or not any(is_smooth(v.aval) for v in eqn.outvars):
                return bind(eqn.primitive, [value_of(operand) for operand in operands], eqn.params)
            entry = RULES.get(eqn.primitive)
            rule = general_rule(eqn.primitive) if entry is None else entry.rule
            try:
                return rule(self, *operands, **eqn.params)
            except DofError:
                raise
            except Exception as error:
                raise_with_source(eqn, operands, error)


def creates_references(program: Any) -> bool:
    """Whether a program has mutable state of its own: from outside it is a function like any other."""
    return any(is_reference(v.aval) for eqn in program.eqns for v in eqn.outvars)


def refuse_reference(eqn: JaxprEqn) -> NoReturn:
    """A reference from outside would hold a value without its derivatives."""
    place = f"`{eqn.primitive.name}` at {source_line(eqn)}"
    found = f"writes a value that depends on x to a mutable reference from outside ({place})"
    fix = "create the reference inside f, or return the value and write it outside"
    raise NotDifferentiableError(describe("f", found, "a function without side effects of this kind", fix))


def raise_with_source(eqn: JaxprEqn, operands: Sequence[Any], error: Exception) -> NoReturn:
    """Say where the function has no derivative; another error only gets the place added."""
    place = f"primitive `{eqn.primitive.name}` at {source_line(eqn)}"
    if twice_differentiable(function_of(eqn.primitive, eqn.params), operands):
        error.add_note(f"dof was propagating through the {place}.")
        raise error
    found = f"applies the {place} to a value that depends on x, and JAX cannot differentiate it: {error}"
    fix = "wrap it in `jax.custom_jvp`, or give its argument to `jax.lax.stop_gradient` if it shall count as constant"
    raise NotDifferentiableError(describe("f", found, "a function that is twice differentiable", fix)) from error


def twice_differentiable(function: Function, operands: Sequence[Any]) -> bool:
    """Whether nested jvp of `function` can be traced."""
    values = function(*map(value_of, operands))
    active = [i for i, operand in enumerate(operands) if isinstance(operand, Triple)]
    smooth = [i for i, value in enumerate(values) if is_smooth(value)]
    of_active, primals = restrict(function, operands, active, smooth)

    def twice(*v: Any) -> Any:
        return jax.jvp(lambda *w: jax.jvp(of_active, w, primals)[1], v, primals)[1]

    try:
        jax.eval_shape(twice, *primals)
    except Exception:
        return False
    return True


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

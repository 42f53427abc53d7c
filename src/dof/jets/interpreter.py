"""The interpreter of a traced program on jets: for each equation the rule of the family of its primitive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import jax.numpy as jnp

from dof.jax_compat import Closed, JaxprEqn, as_function, program_of
from dof.jaxpr.dependence import Name
from dof.jaxpr.elementwise_programs import nonlinear_steps
from dof.jaxpr.first_order_rules import function_of
from dof.jaxpr.program import Step
from dof.jaxpr.registry import Record, record_of
from dof.jaxpr.rule_modes import USERS
from dof.jaxpr.rules.determinant import is_slogdet
from dof.jaxpr.rules.general import general_rule
from dof.jaxpr.rules.linear_solves import linear_system
from dof.jaxpr.trace_log import Log
from dof.jaxpr.walker import Walker
from dof.jets import loops
from dof.jets.columns_read import Numbers, columns_read
from dof.jets.elementwise import elementwise, elementwise_product, elementwise_quotient, of_taylor
from dof.jets.general import general
from dof.jets.jet import reduced_to, values_of
from dof.jets.linear_algebra import log_determinant, solution
from dof.jets.linear_and_bilinear import add_or_subtract, clamp, contraction, first_order, scaled
from dof.jets.taylor_nested import nested_taylor
from dof.jets.trace_log import jet_entry
from dof.symbols.span import Span
from dof.triples.triple import depends_on_x, varying_operands

LOOPS = {"scan": loops.scan, "while": loops.while_loop, "cond": loops.branches}


@dataclass(frozen=True)
class JetInterpreter(Walker):
    """Propagates jets through programs; it is the context of rules that only walk inner programs.

    Attributes:
        span: what the columns are.
        log: where to write down what was done, if that is asked for.
        depth: how many calls and loops are around.
        memory: what loops found out about their programs.
        of_results: the columns that are read of the results of the next program; None for all.
        read: the columns that are read of values of the program at hand, where they are not all.
    """

    span: Span
    log: Log | None = None
    depth: int = 0
    memory: dict[Any, Any] = field(default_factory=dict)
    of_results: Numbers | None = None
    read: Mapping[Name, Numbers] = field(default_factory=dict)

    @property
    def order(self) -> int:
        """How often functions are differentiated."""
        return self.span.order

    def unlogged(self) -> JetInterpreter:
        """The same interpreter, which writes nothing to the log."""
        return replace(self, log=None)

    def inside(self) -> JetInterpreter:
        """The same interpreter, one call deeper."""
        return replace(self, depth=self.depth + 1)

    def run(self, steps: Sequence[Step], env: dict[Name, Any], kept: Collection[Name]) -> None:
        """Take the steps, and leave out columns that nothing reads."""
        every, varying = frozenset(range(len(self.span))), {name for name, value in env.items() if depends_on_x(value)}
        read = {} if self.of_results is None else columns_read(steps, varying, kept, self.of_results, every)
        # Of inner programs every column may be read.
        super(JetInterpreter, replace(self, of_results=None, read=read)).run(steps, env, kept)

    def reduced(self, name: Name, result: Any) -> Any:
        """The result with the columns that are read."""
        return reduced_to(self.read[name], result) if name in self.read else result

    def as_a_whole(self, jaxpr: Closed, operands: Sequence[Any]) -> Sequence[Any]:
        """The results by the general rule."""
        return general(self.span, as_function(jaxpr), operands)

    def by_rule(self, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """The results by the rule of the family."""
        record = record_of(eqn.primitive) or Record("general", general_rule(eqn.primitive))
        place = len(self.log) if self.log is not None else 0
        rule = RULES.get(record.family)
        results = self.by_general_rule(eqn, operands) if rule is None else rule(self, record, eqn, operands)
        if self.log is not None:
            used = "general" if isinstance(results, ByGeneralRule) else record.family
            self.log.insert(place, jet_entry(eqn, used, operands, results, len(self.span), self.depth))
        return results

    def by_general_rule(self, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """The results by nested jvp of the primitive."""
        return ByGeneralRule(general(self.span, function_of(eqn.primitive, eqn.params), operands))


class ByGeneralRule(list[Any]):
    """Results of the general rule, for the log: a call or a linear solve may end there."""


JetRule = Callable[[JetInterpreter, Record, JaxprEqn, Sequence[Any]], Sequence[Any]]


def _constant(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    return function_of(eqn.primitive, eqn.params)(*values_of(operands))


def _first_order(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    if eqn.primitive.name in ("add", "sub", "add_any"):
        return add_or_subtract(eqn, operands)
    return clamp(eqn, operands) if eqn.primitive.name == "clamp" else first_order(record.rule, eqn, operands)


def _elementwise(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    # |z| of a complex z is not differentiable in the complex sense.
    if eqn.primitive.name == "abs" and any(map(jnp.iscomplexobj, values_of(operands))):
        return context.by_general_rule(eqn, operands)
    return elementwise(context.span, eqn, operands)


def _bilinear(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    if not record.is_elementwise:
        return contraction(context.span, eqn, operands)
    if record.has_no_curvature(eqn.params, list(map(depends_on_x, operands))):
        return scaled(eqn, operands)
    rule = elementwise_quotient if eqn.primitive.name == "div" else elementwise_product
    return rule(context.span, eqn, operands)


def _walked(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    """Rules that hand their operands to the context only: reductions written out, checkpoints."""
    return record.rule(context, *operands, **eqn.params)


def _call(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    if eqn.primitive.name == "custom_jvp_call":
        return _custom_jvp(context, eqn, operands)
    if eqn.primitive.name == "remat2":
        return _walked(context, record, eqn, operands)
    if eqn.primitive.name == "shard_map":
        return context.by_general_rule(eqn, operands)
    return context(program_of(eqn.params), operands)


def _custom_jvp(context: JetInterpreter, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    """A function that brings its own derivative keeps it, whatever its program says."""
    function, varying = function_of(eqn.primitive, eqn.params), varying_operands(operands)
    flags = list(map(depends_on_x, operands))
    # Not of several operands, because a derivative of its own may depend on the order in which it is taken.
    if len(varying) == 1 and nonlinear_steps(program_of(eqn.params), flags) is not None:
        found = nested_taylor(function, varying, values_of(operands), context.span.order, is_checked=True)
        if found is not None:
            return of_taylor(context.span, function, operands, found)
    if is_slogdet(program_of(eqn.params), function, operands):
        return log_determinant(context, operands[0])
    return context.by_general_rule(eqn, operands)


def _loop(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    # Branches are chosen by values: an index never is a jet.
    return LOOPS[eqn.primitive.name](context, operands, eqn.params)


def _linear_solve(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    system = linear_system(eqn.primitive, eqn.params, operands)
    return context.by_general_rule(eqn, operands) if system is None else solution(context, *system)


def _users(context: JetInterpreter, record: Record, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
    """A user's rule is for order two; a function with one is walked, a primitive takes the general rule."""
    return context(program_of(eqn.params), operands) if record.inner else context.by_general_rule(eqn, operands)


RULES: dict[str, JetRule] = {
    "constant": _constant,
    "linear": _first_order,
    "indexing": _first_order,
    "piecewise linear": _first_order,
    "elementwise": _elementwise,
    "bilinear": _bilinear,
    "reduction": _walked,
    "call": _call,
    "loop": _loop,
    "linear solve": _linear_solve,
    USERS: _users,
}
"""The rules by family; all others (factorizations above all) take the general rule."""

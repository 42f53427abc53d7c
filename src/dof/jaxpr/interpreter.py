"""The interpreter of a traced program on slot triples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dof.jax_compat import Closed, JaxprEqn, as_function
from dof.jaxpr.registry import Record, record_of
from dof.jaxpr.rule_modes import apply_rule
from dof.jaxpr.rules.general import general, general_rule
from dof.jaxpr.trace_log import Log, entry_of
from dof.jaxpr.walker import Walker
from dof.options import DEFAULT, Options
from dof.sparsity.modes import framed
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.slots import Slots


@dataclass(frozen=True)
class Interpreter(Walker):
    """Propagates slot triples through programs; it is the context of rules that take slot triples (calls, loops).

    Attributes:
        form: how operators sum over directions.
        options: how the work is done.
        log: where to write down what was done, if that is asked for.
        depth: how many calls and loops are around.
        memory: what loops found out about their programs.
    """

    form: QuadraticForm
    options: Options = DEFAULT
    log: Log | None = None
    depth: int = 0
    memory: dict[Any, Any] = field(default_factory=dict)

    def with_form(self, form: Any) -> Interpreter:
        """The same interpreter for another form of the directions."""
        # Types of loop carries are in terms of directions, which another form numbers anew.
        return replace(self, form=form, memory={})

    def unlogged(self) -> Interpreter:
        """The same interpreter, which writes nothing to the log."""
        return replace(self, log=None)

    def keeps(self, slots: Slots, directions: int) -> bool:
        """Whether per-element slots pay: at most half of all directions.

        Above that, masks and gathers cost more than they save.
        """
        enough = 1 if self.options.structure == "sparse" else 2
        return enough * len(slots) <= directions

    def inside(self) -> Interpreter:
        """The same interpreter, one call deeper."""
        return replace(self, depth=self.depth + 1)

    def as_a_whole(self, jaxpr: Closed, operands: Sequence[Any]) -> Sequence[Any]:
        """The results by the general rule."""
        rule = lambda context, *inner: general(context.form, as_function(jaxpr), inner)  # noqa: E731
        return framed(self, rule, operands, {})

    def by_rule(self, eqn: JaxprEqn, operands: Sequence[Any]) -> Sequence[Any]:
        """The results by the rule of the primitive, in the mode that keeps as much structure as pays."""
        record = record_of(eqn.primitive) or Record("general", general_rule(eqn.primitive))
        place = len(self.log) if self.log is not None else 0
        results, note = apply_rule(self, record, eqn, operands)
        if self.log is not None:  # before the entries of an inner program, which say more about why structure ends
            why = "" if len(self.log) > place else note
            self.log.insert(place, entry_of(eqn, record.family, operands, results, self.form, self.depth, why))
        return results

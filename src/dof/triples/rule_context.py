"""What a rule gets as its first argument: the form of its directions, and a way into inner programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from dof.triples.quadratic_form import QuadraticForm
from dof.triples.slot_form import AnyForm
from dof.triples.slots import Slots

Rule = Callable[..., Sequence[Any]]
"""rule(context, *operands, **params) → results. An operand is a triple if it depends on x, else a plain array; so is a
result. Rules of calls and loops take slot triples and a `SlotContext`; all others stacks and a `RuleContext`."""


@runtime_checkable
class RuleContext(Protocol):
    """For rules on stacks (`Triple`)."""

    @property
    def form(self) -> AnyForm:
        """The quadratic form of the directions on the leading axis; `form.contract(g, h)` is Σ_kl q_kl g_k h_l."""
        ...

    def __call__(self, jaxpr: Any, operands: Sequence[Any]) -> list[Any]:
        """Propagate the operands through an inner program."""
        ...

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Propagate the operands through a function of arrays that returns a list of arrays."""
        ...


@runtime_checkable
class SlotContext(Protocol):
    """For rules on slot triples: the interpreter itself."""

    @property
    def form(self) -> QuadraticForm:
        """The quadratic form of all directions."""
        ...

    @property
    def memory(self) -> dict[Any, Any]:
        """The types of loop carries that were found in this propagation, for programs that are met again."""
        ...

    def __call__(self, jaxpr: Any, operands: Sequence[Any]) -> list[Any]:
        """Propagate the operands through an inner program."""
        ...

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Propagate the operands through a function of arrays that returns a list of arrays."""
        ...

    def with_form(self, form: Any) -> SlotContext:
        """The same context for another form of the directions."""
        ...

    def unlogged(self) -> SlotContext:
        """The same context, which leaves no trace in the log of `dof.explain`."""
        ...

    def keeps(self, slots: Slots, directions: int) -> bool:
        """Whether per-element slots pay."""
        ...

"""The log of a propagation for `dof.explain`: what was done at each equation and at each cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dof.jax_compat import JaxprEqn, shape_of, source_line
from dof.jaxpr.equation_costs import work_of
from dof.jaxpr.registry import LINEAR_FAMILIES
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.slots_to_stacks import frame_of
from dof.triples.triple import has_tangents

TOO_MANY = "elements would keep more than half of the directions each"
SUMMED = "it sums over elements of all directions"
WHOLE = "it is differentiated as a whole, along all directions"
JOINED = "its operands depend on different directions"
BOTH_VARY = "both operands depend on x"


@dataclass(frozen=True)
class Equation:
    """An equation that depends on x.

    Attributes:
        primitive: its name.
        rule: the family whose rule was used.
        shape: the shape of its first result.
        slots: directions kept for each element of the result; 0 if it has no tangents.
        directions: directions that there are at this place.
        operations: to push the directions through and to sum over them, roughly.
        lost: why the result keeps more slots than the operands had; empty if it does not.
        source: the line of the user's file.
        depth: how many calls and loops are around it.
    """

    primitive: str
    rule: str
    shape: tuple[int, ...]
    slots: int
    directions: int
    operations: float
    lost: str
    source: str
    depth: int


@dataclass(frozen=True)
class CutEntry:
    """A cut, at which the elements of some values became the coordinates.

    Attributes:
        before: directions before it.
        after: directions after it.
        values: dtype and shape of the values.
    """

    before: int
    after: int
    values: tuple[str, ...]


Log = list[Equation | CutEntry]


def entry_of(
    eqn: JaxprEqn,
    family: str,
    operands: Sequence[Any],
    results: Sequence[Any],
    form: QuadraticForm,
    depth: int,
    why: str,
) -> Equation:
    """The entry of an equation; `why` says why not more structure was kept, if it was not."""
    kept, before = _most_slots(results), _most_slots(operands)
    is_lost = before < kept == len(frame_of(operands))
    # A scatter sum multiplies the slots of its operands only, though its result has all directions.
    pushed = before if why == SUMMED else kept
    return Equation(
        primitive=eqn.primitive.name,
        rule=family,
        shape=shape_of(eqn.outvars[0]),
        slots=kept,
        directions=form.directions,
        operations=work_of(eqn, family in LINEAR_FAMILIES).of(pushed, bool(form.couplings)),
        lost=why if is_lost else "",
        source=source_line(eqn),
        depth=depth,
    )


def _most_slots(values: Sequence[Any]) -> int:
    return max((len(value.tangents.slots) for value in values if has_tangents(value)), default=0)

"""What a walk did at each equation, for `dof.explain`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dof.cut.cost_model import work
from dof.jax_compat import JaxprEqn, shape_of, source_line
from dof.triples.tangents import frame_of, has_tangents

TOO_MANY = "elements would keep more than half of the directions each"
SUMMED = "it sums over elements of all directions"
WHOLE = "it is differentiated as a whole, along all directions"
JOINED = "its operands depend on different directions"


@dataclass(frozen=True)
class Equation:
    """An equation that x has an influence on."""

    primitive: str
    rule: str
    shape: tuple[int, ...]
    slots: int
    """Directions kept for each element of the result; 0 if it has no tangents."""
    directions: int
    """Directions that there are at this place."""
    operations: float
    """To push the directions through and to sum over them, roughly."""
    lost: str
    """Why the result keeps more slots than the operands had, or nothing."""
    source: str
    depth: int


@dataclass(frozen=True)
class Cut:
    """A place where the elements of some values took the place of the directions."""

    before: int
    after: int
    values: tuple[str, ...]


Log = list[Equation | Cut]


def slots(values: Sequence[Any]) -> int:
    return max((len(value.tangents.rows) for value in values if has_tangents(value)), default=0)


def record(
    eqn: JaxprEqn, family: str, operands: Sequence[Any], results: Sequence[Any], walk: Any, why: str
) -> Equation:
    kept, before = slots(results), slots(operands)
    is_lost = before < kept == len(frame_of(operands))
    pushed = before if why == SUMMED else kept
    return Equation(
        primitive=eqn.primitive.name,
        rule=family,
        shape=shape_of(eqn.outvars[0]),
        slots=kept,
        directions=walk.form.directions,
        operations=work(eqn, family in ("linear", "indexing")).of(pushed, bool(walk.form.couplings)),
        lost=why if is_lost else "",
        source=source_line(eqn),
        depth=walk.depth,
    )

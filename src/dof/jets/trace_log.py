"""The log of a propagation of jets for `dof.explain`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dof.jax_compat import JaxprEqn, shape_of, source_line
from dof.jaxpr.equation_costs import work_of
from dof.jaxpr.registry import LINEAR_FAMILIES
from dof.jaxpr.trace_log import Equation
from dof.jets.jet import numbers_of


def jet_entry(
    eqn: JaxprEqn, family: str, operands: Sequence[Any], results: Sequence[Any], columns: int, depth: int
) -> Equation:
    """The entry of an equation; its slots are the columns besides the value that its result has."""
    kept = max((len(numbers_of(result)) for result in results), default=0)
    operations = work_of(eqn, family in LINEAR_FAMILIES).of(kept, False)
    return Equation(
        eqn.primitive.name, family, shape_of(eqn.outvars[0]), kept, columns - 1, operations, "", source_line(eqn), depth
    )

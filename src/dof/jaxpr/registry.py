"""One record for each primitive: all that dof knows of it, written once, beside its rule in `dof.jaxpr.rules`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dof.jax_compat import Closed, JaxprEqn, Primitive, find_primitive, shape_of
from dof.sparsity.slot_flow import SlotFlow
from dof.sparsity.sums_by_direction import ScatterSum
from dof.triples.rule_context import Rule, SlotContext

Params = dict[str, Any]

LINEAR_FAMILIES = ("linear", "indexing")
"""Families of maps that are linear in all their floating operands together."""


class InnerPrograms(NamedTuple):
    """The programs inside of a call, a loop or a branch.

    Attributes:
        of: params ↦ programs.
        repeats: params ↦ how often they run, at least roughly.
        is_choice: whether one of them runs, not all.
        is_inlined: whether the call means the same as its program, which may be written out in its place.
        may_be_elementwise: whether its one program may be taken as an elementwise function, by nested jvp through it.
    """

    of: Callable[[Params], Sequence[Closed]]
    repeats: Callable[[Params], int] = lambda params: 1
    is_choice: bool = False
    is_inlined: bool = False
    may_be_elementwise: bool = False


def is_linear_by_family(family: str) -> Callable[[Params, Sequence[bool]], bool]:
    """The `is_linear` of a record whose linearity follows from its family, whichever operands vary."""
    is_linear = family in (*LINEAR_FAMILIES, "piecewise linear")
    return lambda params, varying: is_linear


def elementwise_operations(eqn: JaxprEqn) -> float:
    """Estimate of the operations of an equation that does little per element: one per element read and written."""
    return float(sum(map(size_of, eqn.outvars)) + max(map(size_of, eqn.invars), default=0))


def size_of(variable: Any) -> int:
    """The number of elements of a variable of a program."""
    # In integers: NumPy's product of an empty shape is the float 1.0.
    return int(np.prod(shape_of(variable), dtype=int))


@dataclass(frozen=True)
class Record:
    """What dof knows of a primitive.

    Attributes:
        family: its family, as `dof.explain` shows it.
        rule: how triples go through it.
        is_elementwise: whether each element of the result depends on the operands at that position only.
        takes_slots: whether the rule takes slot triples: those of calls, loops, linear solves and reductions pass them
            on.
        slot_flow: how slots go through it, or a function of the operands that says so; None if that is not known.
        scatter_sum: how tangents are summed direction by direction.
        summed_axes: params ↦ the axes that it adds up, for a primitive that does nothing else.
        as_products: (params, operands) ↦ a function with the same result that consists of products of elements and
            sums, which keep slots; None where that would not pay.
        of_pairs: (context, equation, operands) ↦ results with slots if two operands depend on x, where that pays.
        has_index_operands: whether the operands after the first say where elements are taken from.
        is_linear: (params, which operands vary) ↦ whether the second derivative vanishes.
        operations: equation ↦ operations to push one tangent through, roughly.
        inner: its inner programs.
    """

    family: str
    rule: Rule
    is_elementwise: bool = False
    takes_slots: bool = False
    slot_flow: SlotFlow | Callable[[Sequence[Any]], SlotFlow | None] | None = None
    scatter_sum: ScatterSum | None = None
    summed_axes: Callable[[Params], Sequence[int]] | None = None
    as_products: Callable[[Params, Sequence[Any]], Callable[..., Any] | None] | None = None
    of_pairs: Callable[[SlotContext, JaxprEqn, Sequence[Any]], Sequence[Any] | None] | None = None
    has_index_operands: bool = False
    is_linear: Callable[[Params, Sequence[bool]], bool] | None = None
    operations: Callable[[JaxprEqn], float] = elementwise_operations
    inner: InnerPrograms | None = None

    def flow_for(self, operands: Sequence[Any]) -> SlotFlow | None:
        """How slots go through an equation with these operands, if that is known."""
        flow = self.slot_flow
        return flow if flow is None or isinstance(flow, SlotFlow) else flow(operands)

    def has_no_curvature(self, params: Params, varying: Sequence[bool]) -> bool:
        """Whether the second derivative vanishes if these operands vary."""
        return (self.is_linear or is_linear_by_family(self.family))(params, varying)


RECORDS: dict[Primitive, Record] = {}

MISSING: set[str] = set()
"""Names of primitives that have a record, but do not exist in this release of JAX."""


def record_of(primitive: Primitive) -> Record | None:
    """The record of a primitive; None for one that takes the general rule because dof does not know it."""
    return RECORDS.get(primitive)


def family_of(primitive: Primitive) -> str:
    """The family of a primitive; "general" for one that has no record."""
    return RECORDS[primitive].family if primitive in RECORDS else "general"


def register(primitive: Primitive, record: Record, overwrite: bool = False) -> None:
    """Add the record of a primitive.

    Raises:
        KeyError: if there is one already and `overwrite` does not ask to replace it.
    """
    # Interpreter, sparsity, cuts and `dof.pde` all read a record, so to replace one must be asked for.
    if primitive in RECORDS and not overwrite:
        raise KeyError(f"the primitive `{primitive.name}` has a record already")
    RECORDS[primitive] = record


def register_named(names: str, family: str, rule_for: Callable[[Primitive], Rule], **facts: Any) -> None:
    """Add the same record for several primitives of JAX; names that this JAX does not have are passed over.

    Args:
        names: names of primitives, separated by spaces.
        family: their family.
        rule_for: from a primitive to its rule.
        **facts: other fields of the record.
    """
    for name in names.split():
        primitive = find_primitive(name)
        if primitive is None:
            MISSING.add(name)
        else:
            register(primitive, Record(family, rule_for(primitive), **facts))

"""Matrix products with a part that is constant along an axis: that part is multiplied before it is broadcast.

    concat(h_i, m) W = h_i W_h + m W_m          where m is the same for all i

Networks of particles broadcast means over all particles to each of them and multiply n equal rows. XLA does not see it,
and a propagation would multiply the tangents of all n rows as well. For two streams of FermiNet the flops fall to 0.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from dof.jax_compat import JaxprEqn, Literal, bind, shape_of
from dof.jaxpr.dependence import Name
from dof.jaxpr.repeated_values import Append, Repeated

LEAST_SAVED = 16
"""Rows of W that must be saved per element of the result, to make up for one more sum."""


class Piece(NamedTuple):
    """A piece of an operand along the contracted axis.

    Attributes:
        start: where it begins.
        size: its length along that axis.
        name: its name.
        aval: its type.
        repeated: along which free axes it is constant, if it is.
    """

    start: int
    size: int
    name: Name
    aval: Any
    repeated: Repeated | None

    @property
    def axes(self) -> frozenset[int]:
        """The free axes along which it is constant."""
        return self.repeated.axes if self.repeated else frozenset()

    @property
    def thin_aval(self) -> Any:
        """Its type with size one along these axes."""
        return self.aval.update(shape=tuple(1 if a in self.axes else n for a, n in enumerate(self.aval.shape)))


class Operand(NamedTuple):
    """The side of a product that depends on x: its number, the contracted axis of its pieces, and the pieces."""

    side: int
    axis: int
    parts: list[Piece]


def varying_operand(
    eqn: JaxprEqn, reads: Sequence[Any], varying: Sequence[bool], joins: dict[Name, Any], known: dict[Name, Repeated]
) -> Operand | None:
    """The side of a product that depends on x, in pieces.

    Args:
        eqn: an equation.
        reads: what it reads.
        varying: which of that depends on x.
        joins: the steps that concatenate, by what they write.
        known: values that are constant along some axes.

    Returns:
        None if it is no product of which one side depends on x, or several axes are contracted.
    """
    if eqn.primitive.name != "dot_general" or sum(varying) != 1 or eqn.params.get("out_sharding") is not None:
        return None
    side = varying.index(True)
    contracted, batch = (numbers[side] for numbers in eqn.params["dimension_numbers"])
    names, variables, step = (reads[side],), (eqn.invars[side],), joins.get(reads[side])
    if step is not None and (step.eqn.params["dimension"],) == tuple(contracted):
        names, variables = step.reads, step.eqn.invars
    if len(contracted) != 1 or any(isinstance(name, Literal) for name in (*names, reads[1 - side])):
        return None
    sizes = [shape_of(variable)[contracted[0]] for variable in variables]
    starts = np.cumsum([0, *sizes[:-1]]).tolist()
    # Along a contracted or a batch axis there is nothing to save: each position meets other entries of the other side.
    free = [found if (found := known.get(n)) and found.axes.isdisjoint((*contracted, *batch)) else None for n in names]
    avals = [variable.aval for variable in variables]
    return Operand(side, contracted[0], list(map(Piece, starts, sizes, names, avals, free)))


def split_product(eqn: JaxprEqn, operand: Operand, other: tuple[Name, Any], append: Append) -> Name | None:
    """Write a product as a sum over groups of pieces, each broadcast after it was multiplied.

    Args:
        eqn: the product.
        operand: its side that depends on x.
        other: name and type of its other side.
        append: writes the steps of a function.

    Returns:
        The name of the result; None if this does not pay.
    """
    if sum(map(_saved_rows, operand.parts)) < LEAST_SAVED:
        return None
    groups: dict[frozenset[int], list[Piece]] = {}
    for part in operand.parts:
        groups.setdefault(part.axes, []).append(part)
    parts = [part for group in groups.values() for part in group]

    def total(other: Any, *pieces: Any) -> Any:
        remaining = iter(pieces)
        pieces_of = [[next(remaining) for _ in group] for group in groups.values()]
        rows_of = [_rows(eqn, operand, other, group) for group in groups.values()]
        products = [_product(eqn, operand, *pair) for pair in zip(pieces_of, rows_of, strict=True)]
        return jnp.broadcast_to(sum(products[1:], products[0]), shape_of(eqn.outvars[0]))

    names = [part.repeated.name() if part.repeated else part.name for part in parts]
    return append(total, [other[0], *names], [other[1], *(part.thin_aval for part in parts)])


def _saved_rows(part: Piece) -> float:
    """The rows of the other side that a piece is not multiplied with, per element of the result."""
    return part.size * (1 - 1 / np.prod([part.aval.shape[a] for a in part.axes]))


def _rows(eqn: JaxprEqn, operand: Operand, other: Any, parts: Sequence[Piece]) -> Any:
    """What of the other side meets these pieces."""
    (axis,) = eqn.params["dimension_numbers"][0][1 - operand.side]
    slices = [lax.slice_in_dim(other, p.start, p.start + p.size, axis=axis) for p in parts]
    return lax.concatenate(slices, axis)


def _product(eqn: JaxprEqn, operand: Operand, pieces: Sequence[Any], rows: Any) -> Any:
    joined = lax.concatenate(pieces, operand.axis)
    sides = (joined, rows) if operand.side == 0 else (rows, joined)
    return bind(eqn.primitive, sides, eqn.params)[0]

"""Indices that are known and lie beyond their axis: JAX reads the last element there, without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from dof.jax_compat import Closed, JaxprEqn, inner_programs, parts, shape_of, source_line
from dof.jaxpr.known_results import ValueOf, known_values

MOST_INDICES = 10_000
"""Larger arrays of integers are not evaluated to be looked at."""


class IndexBeyond(NamedTuple):
    """An index beyond its axis.

    Attributes:
        position: As it counts from the start of the axis; negative ones are those before it.
        length: Of the axis.
        where: The line of the user's file; empty if it is not known.
    """

    position: int
    length: int
    where: str


def index_beyond(jaxpr: Closed) -> IndexBeyond | None:
    """The first index of a program, or of programs in it, that is known and lies beyond its axis."""
    value_of = known_values(jaxpr, _is_of_indices)
    for eqn in parts(jaxpr)[0].eqns:
        for index, length in _beyond(eqn, value_of):
            return IndexBeyond(index, length, source_line(eqn))
        for inner in inner_programs(eqn.params):
            if found := index_beyond(inner):
                return found
    return None


def _is_of_indices(eqn: JaxprEqn) -> bool:
    """Whether an equation is small and of whole numbers or truth values, as those are that indices come from."""
    made: list[Any] = [v.aval for v in eqn.outvars]
    # Tokens and references have neither size nor type.
    return all(hasattr(array, "dtype") and array.size <= MOST_INDICES and array.dtype.kind in "biu" for array in made)


def _beyond(eqn: JaxprEqn, value_of: ValueOf) -> Iterator[tuple[int, int]]:
    """The indices of an equation that are beyond, with the lengths of their axes."""
    for axis, starts in _starts(eqn, value_of):
        length, taken = shape_of(eqn.invars[0])[axis], eqn.params["slice_sizes"][axis]
        for start in np.ravel(np.asarray(starts)):
            if start < 0:
                yield int(start), length
            elif start + taken > length:
                yield int(start) + taken - 1, length


def _starts(eqn: JaxprEqn, value_of: ValueOf) -> Iterator[tuple[int, Any]]:
    """The known starts in each axis of what an equation takes out of an array."""
    if eqn.primitive.name == "dynamic_slice":
        known = ((axis, value_of(atom)) for axis, atom in enumerate(eqn.invars[1:]))
        yield from ((axis, start) for axis, start in known if start is not None)
    # With a value to fill in, an index beyond is meant, or gives nan.
    elif eqn.primitive.name == "gather" and "FILL" not in str(eqn.params["mode"]):
        indices = value_of(eqn.invars[1])
        axes = eqn.params["dimension_numbers"].start_index_map
        # By NumPy: what JAX does to a known array is traced where an outer function is.
        yield from () if indices is None else zip(axes, np.moveaxis(np.asarray(indices), -1, 0), strict=True)

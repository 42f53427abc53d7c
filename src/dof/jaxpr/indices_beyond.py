"""Known indices that lie beyond an axis of an argument: JAX reads its first or last element, without a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.jax_compat import Closed, JaxprEqn, inner_programs, parts, shape_of, source_line
from dof.jaxpr.dependence import varying_reads
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


def index_beyond(jaxpr: Closed, varying: Sequence[bool] | None = None) -> IndexBeyond | None:
    """The first index of a program, or of programs in it, that is known and lies beyond its axis.

    Only indices into what depends on the arguments: a table may be read beyond its end where the result is not used.

    Args:
        jaxpr: The program.
        varying: Which of its arguments are looked at, with what depends on them; by default all.
    """
    program, _ = parts(jaxpr)
    arguments = [True] * len(program.invars) if varying is None else varying
    depends = {v for v, varies in zip(program.invars, arguments, strict=True) if varies}
    value_of = known_values(jaxpr, _is_of_indices)
    for eqn in program.eqns:
        varies = varying_reads(eqn.invars, depends)
        if not any(varies):
            continue
        depends.update(eqn.outvars)
        if varies[0]:
            for index, length in _beyond(eqn, value_of):
                return IndexBeyond(index, length, source_line(eqn))
        for inner in inner_programs(eqn.params):
            # Of calls, turns and branches, which have a condition in front of their arguments.
            own = varies[len(varies) - len(parts(inner)[0].invars) :]
            if len(own) == len(parts(inner)[0].invars) and (found := index_beyond(inner, own)):
                return found
    return None


def _is_of_indices(eqn: JaxprEqn) -> bool:
    """Whether an equation is small and of whole numbers or truth values, as those are that indices come from."""
    # Of loops, which may take long whatever their size, and of calls with them, nothing is evaluated.
    return not _has_loops(eqn) and all(_is_small(v.aval) for v in eqn.outvars)


def _has_loops(eqn: JaxprEqn) -> bool:
    inner = [e for program in inner_programs(eqn.params) for e in parts(program)[0].eqns]
    return eqn.primitive.name in ("while", "scan") or any(map(_has_loops, inner))


def _is_small(array: Any) -> bool:
    # Tokens and references have neither size nor type; keys of random numbers have a type of their own.
    is_whole = hasattr(array, "dtype") and (array.dtype == bool or jnp.issubdtype(array.dtype, jnp.integer))
    return is_whole and array.size <= MOST_INDICES


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
        # `x[5]` is a slice of one element; longer ones are moved to where they fit, as `lax.dynamic_slice` says.
        sizes = eqn.params["slice_sizes"]
        yield from ((axis, start) for axis, start in known if start is not None and sizes[axis] == 1)
    # With a value to fill in, an index beyond is meant, or gives nan. The mode "clip" is also that of `x[5]` in `vmap`.
    elif eqn.primitive.name == "gather" and "FILL" not in str(eqn.params["mode"]):
        indices = value_of(eqn.invars[1])
        axes = eqn.params["dimension_numbers"].start_index_map
        # By NumPy: what JAX does to a known array is traced where an outer function is.
        yield from () if indices is None else zip(axes, np.moveaxis(np.asarray(indices), -1, 0), strict=True)

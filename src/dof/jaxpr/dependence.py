"""Which values of a program depend on x."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any

from dof.jax_compat import Literal, shape_of
from dof.jaxpr.registry import family_of
from dof.triples.triple import is_smooth

Name = Hashable
"""What a value of a program is called: its variable, or a number where calls are written out."""


def varying_reads(reads: Sequence[Any], depends: Collection[Name]) -> list[bool]:
    """For each value that an equation reads, whether it is among those that depend on x."""
    return [not isinstance(atom, Literal) and atom in depends for atom in reads]


def dependent_writes(eqn: Any, reads: Sequence[Any], writes: Sequence[Name], depends: Collection[Name]) -> list[Name]:
    """The results of an equation that depend on x, given the values that do; integers and constants do not count."""
    if not any(varying_reads(reads, depends)) or family_of(eqn.primitive) == "constant":
        return []
    # An array without elements has nothing to differentiate.
    return [name for name, v in zip(writes, eqn.outvars, strict=True) if is_smooth(v.aval) and 0 not in shape_of(v)]

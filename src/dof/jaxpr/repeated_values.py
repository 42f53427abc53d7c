"""Values that are constant along some axes, because they were broadcast: found while a program is written out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from dof.jax_compat import JaxprEqn, Literal, shape_of
from dof.jaxpr.dependence import Name


class Repeated(NamedTuple):
    """A value that is constant along some axes.

    Attributes:
        axes: these axes.
        name: writes the value with size one along them, and returns its name.
    """

    axes: frozenset[int]
    name: Callable[[], Name]


Append = Callable[[Callable[..., Any], Sequence[Name], Sequence[Any]], Name]
"""(function, names of its operands, their types) ↦ the name of its result, after its steps were written"""


def repeated_value(eqn: JaxprEqn, reads: Sequence[Any], known: dict[Name, Repeated], append: Append) -> Repeated | None:
    """Along which axes the result of an equation is constant; None for all but broadcasts and what passes them on."""
    # An axis that is distributed over the devices of a mesh cannot be made size one.
    if not reads or isinstance(reads[0], Literal) or eqn.params.get("sharding") is not None:
        return None
    if eqn.primitive.name == "broadcast_in_dim":
        return _broadcast(eqn, reads[0], append)
    if eqn.primitive.name == "tile":
        return _tiled(eqn, reads[0], append)
    if eqn.primitive.name == "reshape" and reads[0] in known:
        return _reshaped(eqn, known[reads[0]], append)
    return None


def _broadcast(eqn: JaxprEqn, source: Name, append: Append) -> Repeated | None:
    """The axes that a broadcast adds or stretches."""
    shape, dims, old = eqn.params["shape"], eqn.params["broadcast_dimensions"], shape_of(eqn.invars[0])
    from_old = {int(d): n for d, n in zip(dims, old, strict=True)}
    axes = frozenset(a for a, n in enumerate(shape) if n > 1 and from_old.get(a, 1) == 1)
    thin = [1 if a in axes else n for a, n in enumerate(shape)]
    expand = lambda x: lax.broadcast_in_dim(x, thin, dims)  # noqa: E731
    return Repeated(axes, lambda: append(expand, [source], [eqn.invars[0].aval])) if axes else None


def _tiled(eqn: JaxprEqn, source: Name, append: Append) -> Repeated | None:
    """The axes of size one that `jnp.tile` repeats."""
    reps, old = eqn.params["reps"], shape_of(eqn.invars[0])
    axes = frozenset(a for a, (n, r) in enumerate(zip(old, reps, strict=True)) if n == 1 and r > 1)
    thin = [1 if a in axes else r for a, r in enumerate(reps)]
    return Repeated(axes, lambda: append(lambda x: jnp.tile(x, thin), [source], [eqn.invars[0].aval])) if axes else None


def _reshaped(eqn: JaxprEqn, source: Repeated, append: Append) -> Repeated | None:
    """A reshape that joins constant axes with axes of size one only, as in `jnp.repeat`."""
    old, new = shape_of(eqn.invars[0]), shape_of(eqn.outvars[0])
    lengths = [(a, n) for a, n in enumerate(old) if n > 1]
    places = [a for a, n in enumerate(new) if n > 1]
    if eqn.params.get("dimensions") is not None or [n for _, n in lengths] != [new[a] for a in places]:
        return None
    axes = frozenset(b for (a, _), b in zip(lengths, places, strict=True) if a in source.axes)
    thin = [1 if a in axes else n for a, n in enumerate(new)]
    aval = eqn.invars[0].aval.update(shape=tuple(1 if a in source.axes else n for a, n in enumerate(old)))
    return Repeated(axes, lambda: append(lambda x: x.reshape(thin), [source.name()], [aval])) if axes else None

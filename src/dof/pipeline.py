"""The whole path: coefficients at x → directions and form → seed → walk → triples, from which operators are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np

from dof.arguments import Argnums, split_arguments, split_arrays
from dof.batching.direction_groups import lines_of, propagate_in_groups
from dof.cut.segments import stages_of, walk_in_stages
from dof.directions.factor import factor
from dof.directions.shared import share
from dof.directions.sparse_rows import Group
from dof.jax_compat import Closed
from dof.jaxpr.interpreter import Walk
from dof.jaxpr.program import creates_references, written_out
from dof.jaxpr.trace_log import Log
from dof.operators.coefficients import Evaluated, concatenate
from dof.operators.coordinates import Space
from dof.options import DEFAULT, Options
from dof.triples.quadratic_form import Form
from dof.triples.readout import Reading
from dof.triples.tangents import in_frame, out_of_frame, tangents_of_input
from dof.triples.triple import Triple, triple_or_constant
from dof.typing import Array


@runtime_checkable
class HasCoefficients(Protocol):
    def at(self, x: Any, space: Space) -> Evaluated: ...


class Propagated(NamedTuple):
    """What one pass gives: the leaves of f(x) as triples, their tree, and how each operator is read off them."""

    outputs: list[Any]
    tree: Any
    form: Form
    readings: list[Reading]

    def each(self, read: Callable[[Any], Any]) -> Any:
        """f(x) with each leaf replaced by what is read off its triple."""
        return jax.tree.unflatten(self.tree, [read(output) for output in self.outputs])


def propagate_all(
    f: Callable[..., Any],
    operators: Sequence[HasCoefficients],
    argnums: Argnums,
    args: Any,
    kwargs: Any,
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """One pass through f(*args, **kwargs) for all operators."""
    x, put_back = split_arguments(args, argnums)
    space = Space.of(x)
    channels, readings = real_channels([operator.at(x, space) for operator in operators])
    rows, form = share([factor(channel.a, space.size) for channel in channels])
    drifts = [channel.b for channel in channels]
    name = getattr(f, "__name__", "f")
    jaxpr, tree = trace(lambda x: f(*put_back(x), **kwargs), x, name)

    def again(arrays: Any, x: Any) -> Closed:
        args, kwargs = rebuild(arrays)
        return trace(lambda x: f(*split_arguments(args, argnums)[1](x), **kwargs), x, name)[0]

    with jax.numpy_rank_promotion("allow"):  # the user's setting is for the user's code
        if options.in_groups and form.directions:
            arrays, rebuild = split_arrays((args, kwargs))
            lines, together = lines_of(rows, form), stacked(drifts, space)
            outputs = propagate_in_groups(jaxpr, again, arrays, x, space, lines, together, options)
        else:
            seeds = seed(x, space, rows, drifts)
            outputs = walk_through(Walk(form, options, log), jaxpr, seeds, wants_tangents)
    return Propagated(outputs, tree, form, readings)


def walk_through(walk: Walk, jaxpr: Closed, seeds: Sequence[Any], wants_tangents: bool) -> list[Any]:
    if walk.options.structure == "dense":
        seeds = [out_of_frame(in_frame(s, every := np.arange(walk.form.directions)), every) for s in seeds]
    if creates_references(jaxpr):
        return walk(jaxpr, seeds)
    program = written_out(jaxpr, [isinstance(s, Triple) for s in seeds])
    return walk_in_stages(walk, program, stages_of(walk, program, seeds, wants_tangents), seeds)


def real_channels(operators: Sequence[Evaluated]) -> tuple[list[Evaluated], list[Reading]]:
    """All real operators that are to be propagated, and which of them make up each operator."""
    channels: list[Evaluated] = []
    readings = []
    for operator in operators:
        split = operator.real_channels()
        readings.append(Reading([(factor_, len(channels) + n) for n, (factor_, _) in enumerate(split)], operator.c))
        channels += [channel for _, channel in split]
    return channels, readings


def seed(x: Any, space: Space, rows: Sequence[Group], drifts: Sequence[Array | None]) -> list[Any]:
    """The triples of x itself: (x, L, b). What is absent stays None, so that it costs nothing."""
    leaves = jax.tree.leaves(x)
    nothing = [None] * len(leaves)
    tangents = map(partial(tangents_of_input, rows), space.starts, space.shapes, space.dtypes)
    together = stacked(drifts, space)
    applied = nothing if together is None else space.split(together)
    return list(map(triple_or_constant, leaves, tangents, applied))


def stacked(drifts: Sequence[Array | None], space: Space) -> Array | None:
    """b of all channels, (channels, N)."""
    if all(b is None for b in drifts):
        return None
    return concatenate([(np.zeros(space.size) if b is None else b)[None] for b in drifts], axis=0)


def trace(f: Callable[[Any], Any], x: Any, name: str) -> tuple[Closed, Any]:
    """f as a program on the leaves of x, and the tree of its result."""
    leaves, tree = jax.tree.flatten(x)

    def of_leaves(*x: Any) -> Any:
        return f(jax.tree.unflatten(tree, x))

    of_leaves.__name__ = name  # for the messages of JAX
    jaxpr, shapes = jax.make_jaxpr(of_leaves, return_shape=True)(*leaves)
    return jaxpr, jax.tree.structure(shapes)

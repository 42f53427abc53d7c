"""The whole way: coefficients at x → directions and form → triples of x → walk → triples of f(x) → operators read off.

`prepare` does what depends on the operators only, `propagate_prepared` what depends on the function. Whoever needs the
directions before the function is walked (PDE residuals choose the cheapest of several) calls one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np

from dof.arguments import Argnums, split_arguments, split_arrays
from dof.batching.direction_groups import propagate_in_groups
from dof.cut.segments import segments_of, walk_segments
from dof.directions.factor import factor
from dof.directions.known import concatenate
from dof.directions.shared import SharedDirections, share_directions
from dof.jax_compat import Closed
from dof.jaxpr.interpreter import Interpreter
from dof.jaxpr.program import creates_references, written_out
from dof.jaxpr.trace_log import Log
from dof.operators.coefficients import Coefficients
from dof.operators.coordinates import Coordinates
from dof.options import DEFAULT, Options
from dof.triples.frames import in_frame, out_of_frame
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.readout import Reading
from dof.triples.seed import seed, stacked_b
from dof.triples.triple import depends_on_x
from dof.typing import Array


@runtime_checkable
class HasCoefficients(Protocol):
    """An operator: something with coefficients at x."""

    def at(self, x: Any, coordinates: Coordinates) -> Coefficients:
        """The coefficients at x."""
        ...


class Prepared(NamedTuple):
    """All of a propagation that depends on the operators, not on the function.

    Attributes:
        coordinates: of x.
        directions: the rows of L, in the order of the tangents, and how each channel sums over them.
        b: (channels, N), or None.
        readings: how each operator is read off the results.
    """

    coordinates: Coordinates
    directions: SharedDirections
    b: Array | None
    readings: list[Reading]

    def with_first_order(self, operators: Sequence[Coefficients]) -> Prepared:
        """The same directions, with further real operators that have no second-order part."""
        old, new = len(self.directions.weights), len(operators)
        weights = concatenate([self.directions.weights, np.zeros((new, self.directions.size))])
        b = [*([None] * old if self.b is None else self.b), *(operator.b for operator in operators)]
        more = [Reading([(1.0, old + n)], operator.c) for n, operator in enumerate(operators)]
        directions = self.directions._replace(weights=weights)
        return Prepared(self.coordinates, directions, stacked_b(b, self.coordinates), [*self.readings, *more])


class Propagated(NamedTuple):
    """What one propagation gives: the leaves of f(x) as triples, and how each operator is read off them."""

    outputs: list[Any]
    tree: Any
    directions: int
    readings: list[Reading]

    def each(self, read: Callable[[Any], Any]) -> Any:
        """f(x) with each leaf replaced by what is read off its triple."""
        return jax.tree.unflatten(self.tree, [read(output) for output in self.outputs])


def prepare(operators: Sequence[Coefficients], coordinates: Coordinates) -> Prepared:
    """Factor the second-order parts of operators, given by their coefficients at x, and share the directions."""
    channels: list[Coefficients] = []
    readings = []
    for operator in operators:
        split = operator.real_channels()
        readings.append(Reading([(factor_, len(channels) + n) for n, (factor_, _) in enumerate(split)], operator.c))
        channels += [channel for _, channel in split]
    with own_promotion():
        directions = share_directions([factor(channel.a, coordinates.size) for channel in channels])
        b = stacked_b([channel.b for channel in channels], coordinates)
    return Prepared(coordinates, directions, b, readings)


@contextmanager
def own_promotion() -> Iterator[None]:
    """JAX's default promotion of ranks and dtypes: a stricter setting of the user's is for the user's code."""
    with jax.numpy_rank_promotion("allow"), jax.numpy_dtype_promotion("standard"):
        yield


def propagate_operators(
    f: Callable[..., Any],
    operators: Sequence[HasCoefficients],
    argnums: Argnums,
    args: Any,
    kwargs: Any,
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """One propagation through f(*args, **kwargs) for all operators, with x = the argument(s) `argnums`."""
    x, _ = split_arguments(args, argnums)
    coordinates = Coordinates.of(x)
    prepared = prepare([operator.at(x, coordinates) for operator in operators], coordinates)
    return propagate_prepared(prepared, f, argnums, args, kwargs, options, wants_tangents, log)


def propagate_prepared(
    prepared: Prepared,
    f: Callable[..., Any],
    argnums: Argnums,
    args: Any,
    kwargs: Any,
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """Propagate prepared directions through f(*args, **kwargs).

    Args:
        prepared: from `prepare`, at the same x.
        f: the function.
        argnums: which argument(s) of f are x.
        args: its positional arguments.
        kwargs: its keyword arguments.
        options: how the work is done.
        wants_tangents: whether the tangents of the results are asked for.
        log: where to write down what was done, if that is asked for.
    """
    x, put_back = split_arguments(args, argnums)
    jaxpr, tree = trace(lambda x: f(*put_back(x), **kwargs), x, f)
    form = QuadraticForm.of(prepared.directions)
    with own_promotion():
        if options.in_groups and form.directions:
            arrays, rebuild = split_arrays((args, kwargs))

            def traced_again(arrays: Any, x: Any) -> Closed:
                args, kwargs = rebuild(arrays)
                return trace(lambda x: f(*split_arguments(args, argnums)[1](x), **kwargs), x, f)[0]

            outputs = propagate_in_groups(
                jaxpr, traced_again, arrays, x, prepared.coordinates, prepared.directions, prepared.b, options
            )
        else:
            seeds = seed(x, prepared.coordinates, prepared.directions.rows, prepared.b)
            outputs = _walk(Interpreter(form, options, log), jaxpr, seeds, wants_tangents)
    return Propagated(outputs, tree, form.directions, prepared.readings)


def _walk(walk: Interpreter, jaxpr: Closed, seeds: Sequence[Any], wants_tangents: bool) -> list[Any]:
    if walk.options.structure == "dense":
        every = np.arange(walk.form.directions)
        seeds = [out_of_frame(in_frame(s, every), every) for s in seeds]
    if creates_references(jaxpr):
        return walk(jaxpr, seeds)
    program = written_out(jaxpr, list(map(depends_on_x, seeds)))
    return walk_segments(walk, program, segments_of(walk, program, seeds, wants_tangents), seeds)


def trace(f: Callable[[Any], Any], x: Any, users: Callable[..., Any]) -> tuple[Closed, Any]:
    """f as a program on the leaves of x, and the tree of its result; messages of JAX name the user's function."""
    leaves, tree = jax.tree.flatten(x)

    def of_leaves(*x: Any) -> Any:
        return f(jax.tree.unflatten(tree, x))

    of_leaves.__name__ = getattr(users, "__name__", "f")
    jaxpr, shapes = jax.make_jaxpr(of_leaves, return_shape=True)(*leaves)
    return jaxpr, jax.tree.structure(shapes)

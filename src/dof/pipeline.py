"""The whole way of a propagation.

    coefficients at x → directions and form → triples of x → interpreter → triples of f(x) → operators read off them

`prepare` does what depends on the operators only, `propagate_prepared` what depends on the function. A caller that
needs the directions before f is traced (`dof.pde` compares several plans) calls the two one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np

from dof.arguments import Argnums, named_after, names_of, places_of, split_arguments, split_arrays
from dof.batching.direction_groups import propagate_in_groups
from dof.cut.segments import run_segments, segments_of
from dof.directions.factor import SecondOrderPart, factor
from dof.directions.known_while_tracing import concatenate
from dof.directions.matrix_forms import Matrix
from dof.directions.shared import SharedDirections, share_directions
from dof.jax_compat import Closed
from dof.jaxpr.inlining import written_out
from dof.jaxpr.interpreter import Interpreter
from dof.jaxpr.program import creates_references
from dof.jaxpr.trace_log import Log
from dof.jets import seed as jets
from dof.jets.interpreter import JetInterpreter
from dof.jets.nested import MOST_MONOMIALS, NestedReading, apply_nested, is_better_nested, outputs_of
from dof.jets.readout import JetReading, common_span
from dof.operators.coefficients import Coefficients
from dof.operators.coordinates import Coordinates
from dof.operators.higher_order import HigherOrder
from dof.operators.symbol_at import Symbol, expanded_size, symbol_at
from dof.options import DEFAULT, Options
from dof.promotion import own_promotion
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.readout import Reading, full_triple, value_as_array
from dof.triples.seed import seed, stacked_b
from dof.triples.slots_to_stacks import in_frame, out_of_frame
from dof.triples.triple import depends_on_x, value_of
from dof.typing import Array

NESTED = ("by nesting",)
"""What stands for the columns of operators that are applied factor by factor."""


@runtime_checkable
class HasCoefficients(Protocol):
    """Something that has coefficients a, b, c at a point x: an operator."""

    def at(self, x: Any, coordinates: Coordinates) -> Coefficients:
        """The coefficients at x."""
        ...


class Prepared(NamedTuple):
    """A prepared propagation: all of it that depends on the operators, not on the function.

    Attributes:
        coordinates: the N coordinates of x.
        directions: the r rows of L, in the order of the tangents, and the quadratic form of each channel.
        b: the first-order coefficients of each channel, (channels, N); None if all are zero.
        readings: for each operator, how it is read off the triples of f(x).
    """

    coordinates: Coordinates
    directions: SharedDirections
    b: Array | None
    readings: list[Reading]

    def with_first_order(self, operators: Sequence[Coefficients]) -> Prepared:
        """The same with further operators that are real and of first order; they need no directions, only a channel."""
        old, new = len(self.directions.weights), len(operators)
        each = [*([None] * old if self.b is None else self.b), *(operator.b for operator in operators)]
        more = [Reading([(1.0, old + n)], operator.c) for n, operator in enumerate(operators)]
        with own_promotion():
            weights = concatenate([self.directions.weights, np.zeros((new, self.directions.size))])
            b = stacked_b(each, self.coordinates)
        return Prepared(self.coordinates, self.directions._replace(weights=weights), b, [*self.readings, *more])


class Propagated(NamedTuple):
    """The result of a propagation.

    Attributes:
        outputs: the leaves of f(x); a triple if it depends on x, else a plain array.
        tree: the pytree structure of f(x).
        directions: how many directions were propagated; for an order above two, how many columns besides the value.
        readings: for each operator, how it is read off an output.
        columns: for an order above two, what the columns are.
    """

    outputs: list[Any]
    tree: Any
    directions: int
    readings: list[Any]
    columns: tuple[str, ...] = ()

    def each(self, read: Callable[[Any], Any]) -> Any:
        """The pytree of f(x) with `read(output)` in place of each leaf."""
        return jax.tree.unflatten(self.tree, [read(output) for output in self.outputs])

    def triples(self) -> Any:
        """The pytree of f(x) with a triple in place of each leaf that depends on x, and plain arrays for the others."""
        full = lambda output: full_triple(output, self.directions, self.readings)  # noqa: E731
        return self.each(lambda output: full(output) if depends_on_x(output) else value_as_array(output))


def prepare(
    operators: Sequence[Coefficients],
    coordinates: Coordinates,
    factored: Callable[[Sequence[Matrix], int], SecondOrderPart] = factor,
) -> Prepared:
    """Factor the second-order parts A = Lᵀ Q L of operators and share their directions.

    Args:
        operators: the coefficients of each operator at x.
        coordinates: the coordinates of x.
        factored: (terms of A, N) ↦ the directions of A, all of them or random ones.
    """
    channels: list[Coefficients] = []
    readings = []
    for operator in operators:
        split = operator.real_channels()
        readings.append(Reading([(factor_, len(channels) + n) for n, (factor_, _) in enumerate(split)], operator.c))
        channels += [channel for _, channel in split]
    with own_promotion():
        directions = share_directions([factored(channel.a, coordinates.size) for channel in channels])
        b = stacked_b([channel.b for channel in channels], coordinates)
    return Prepared(coordinates, directions, b, readings)


def propagate_operators(
    f: Callable[..., Any],
    operators: Sequence[HasCoefficients | HigherOrder],
    argnums: Argnums,
    args: Any,
    kwargs: Any,
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """Prepare and propagate: one pass through f(*args, **kwargs) for all operators.

    Args:
        f: the function.
        operators: the operators.
        argnums: which argument(s) of f are x.
        args: positional arguments of f.
        kwargs: keyword arguments of f.
        options: how the work is done.
        wants_tangents: whether the tangents of the results are asked for.
        log: where to write down what was done, if that is asked for.
    """
    if any(isinstance(operator, HigherOrder) for operator in operators):
        return _propagate_any_order(f, operators, argnums, args, kwargs, options, log)
    x, _ = split_arguments(args, argnums)
    coordinates = Coordinates.of(x)
    order_two: Sequence[Any] = operators
    prepared = prepare([operator.at(x, coordinates) for operator in order_two], coordinates)
    return propagate_prepared(prepared, f, argnums, args, kwargs, options, wants_tangents, log)


def _propagate_any_order(
    f: Callable[..., Any],
    operators: Sequence[Any],
    argnums: Argnums,
    args: Any,
    kwargs: Any,
    options: Options,
    log: Log | None,
) -> Propagated:
    """One pass for operators of which at least one is of an order above two; by nesting where that is better."""
    x, _ = split_arguments(args, argnums)
    # Groups are of directions, which the factors of an operator have.
    if not options.in_groups and max(expanded_size(operator, x) for operator in operators) <= MOST_MONOMIALS:
        symbols = [symbol_at(operator, x) for operator in operators]
        if not is_better_nested(common_span(symbols)):
            return propagate_symbols(symbols, f, argnums, args, kwargs, log)
    return _propagate_nested(f, operators, argnums, args, kwargs, options)


def propagate_symbols(
    symbols: Sequence[Symbol], f: Callable[..., Any], argnums: Argnums, args: Any, kwargs: Any, log: Log | None = None
) -> Propagated:
    """Propagate the columns of symbols through f(*args, **kwargs).

    Args:
        symbols: operators at the same x, of any order.
        f: the function.
        argnums: which argument(s) of f are x.
        args: its positional arguments.
        kwargs: its keyword arguments.
        log: where to write down what was done, if that is asked for.
    """
    x, _ = split_arguments(args, argnums)
    span = common_span(symbols)
    jaxpr, tree = trace(f, argnums, args, kwargs)
    with own_promotion():
        # Equations of f itself are at depth 0, as in `_interpret`.
        outputs = JetInterpreter(span, log, depth=-1)(jaxpr, jets.seed(x, Coordinates.of(x), span))
    readings = [JetReading(span, symbol) for symbol in symbols]
    return Propagated(outputs, tree, len(span) - 1, readings, span.meanings())


def _propagate_nested(
    f: Callable[..., Any], operators: Sequence[Any], argnums: Argnums, args: Any, kwargs: Any, options: Options
) -> Propagated:
    def apply(operator: Any, g: Callable[..., Any]) -> Callable[..., Any]:
        def applied(*args: Any, **kwargs: Any) -> Any:
            done = propagate_operators(g, [operator], argnums, args, kwargs, options)
            return done.each(done.readings[0].of)

        return applied

    value = f(*args, **kwargs)
    results = [apply_nested(apply, operator, f)(*args, **kwargs) for operator in operators]
    readings = [NestedReading(n) for n in range(len(operators))]
    return Propagated(outputs_of(value, results), jax.tree.structure(value), 0, readings, NESTED)


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
    x, _ = split_arguments(args, argnums)
    # Before `own_promotion`: the user's function is traced with the user's own setting.
    jaxpr, tree = trace(f, argnums, args, kwargs)
    form = QuadraticForm.of(prepared.directions)
    with own_promotion():
        # An operator of first order has no directions to group.
        if options.in_groups and form.directions:
            arrays, rebuild = split_arrays((args, kwargs))

            def traced_again(arrays: Any, x: Any) -> Closed:
                args, kwargs = rebuild(arrays)
                _, put_back = split_arguments(args, argnums)
                return trace(f, argnums, put_back(x), kwargs)[0]

            outputs = propagate_in_groups(
                jaxpr, traced_again, arrays, x, prepared.coordinates, prepared.directions, prepared.b, options
            )
        else:
            seeds = seed(x, prepared.coordinates, prepared.directions.rows, prepared.b)
            outputs = _interpret(Interpreter(form, options, log), jaxpr, seeds, wants_tangents)
    return Propagated(outputs, tree, form.directions, prepared.readings)


def propagate_seeds(f: Callable[..., Any], seeds: Sequence[Any], form: QuadraticForm, options: Options) -> Propagated:
    """Propagate slot triples with one channel through f, a function of as many arrays."""
    jaxpr, shapes = jax.make_jaxpr(f, return_shape=True)(*map(value_of, seeds))
    with own_promotion():
        outputs = _interpret(Interpreter(form, options), jaxpr, seeds, wants_tangents=True)
    return Propagated(outputs, jax.tree.structure(shapes), form.directions, [Reading([(1.0, 0)], None)])


def _interpret(interpreter: Interpreter, jaxpr: Closed, seeds: Sequence[Any], wants_tangents: bool) -> list[Any]:
    """The triples of the results of a program, in segments between cuts."""
    if interpreter.options.structure == "dense":
        # With all directions in the slots of every element, no mode finds structure to keep.
        every = np.arange(interpreter.form.directions)
        seeds = [out_of_frame(in_frame(s, every), every) for s in seeds]
    # Mutable state cannot be divided at a cut: the interpreter takes such a program as one function.
    if creates_references(jaxpr):
        return interpreter(jaxpr, seeds)
    program = written_out(jaxpr, list(map(depends_on_x, seeds)))
    segments = segments_of(interpreter, program, seeds, wants_tangents)
    return run_segments(interpreter, program, segments, seeds)


def trace(f: Callable[..., Any], argnums: Argnums, args: Any, kwargs: Any) -> tuple[Closed, Any]:
    """Trace f(*args, **kwargs) as a function of x, the argument(s) `argnums`.

    Returns:
        (program on the leaves of x, pytree structure of the result).
    """
    x, put_back = split_arguments(args, argnums)
    several = isinstance(argnums, tuple)

    def of_x(*x: Any) -> Any:
        return f(*put_back(x if several else x[0]), **kwargs)

    named = named_after(f, of_x, names_of(f, places_of(argnums, args)))
    jaxpr, shapes = jax.make_jaxpr(named, return_shape=True)(*(x if several else (x,)))
    return jaxpr, jax.tree.structure(shapes)

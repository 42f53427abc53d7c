"""Propagations of order two: prepared directions through a function, as triples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from dof.batching.direction_groups import propagate_in_groups
from dof.cut.segments import run_segments, segments_of
from dof.jax_compat import Closed
from dof.jaxpr.inlining import written_out
from dof.jaxpr.interpreter import Interpreter
from dof.jaxpr.program import creates_references
from dof.jaxpr.trace_log import Log
from dof.operators.coordinates import Coordinates
from dof.options import DEFAULT, Options
from dof.pipeline.function_of_x import Call
from dof.pipeline.prepare import HasCoefficients, Prepared, prepare
from dof.pipeline.propagated import Propagated
from dof.promotion import own_promotion
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.readout import Reading
from dof.triples.seed import seed
from dof.triples.slots_to_stacks import in_frame, out_of_frame
from dof.triples.triple import depends_on_x, value_of


def propagate_order_two(
    call: Call,
    operators: Sequence[HasCoefficients],
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """Prepare and propagate operators of order two, one or zero; arguments as those of `propagate_operators`."""
    x = call.x
    coordinates = Coordinates.of(x)
    prepared = prepare([operator.at(x, coordinates) for operator in operators], coordinates)
    return propagate_prepared(prepared, call, options, wants_tangents, log)


def propagate_prepared(
    prepared: Prepared,
    call: Call,
    options: Options = DEFAULT,
    wants_tangents: bool = False,
    log: Log | None = None,
) -> Propagated:
    """Propagate prepared directions through a function.

    Args:
        prepared: from `prepare`, at the same x.
        call: the function with its arguments.
        options: how the work is done.
        wants_tangents: whether the tangents of the results are asked for.
        log: where to write down what was done, if that is asked for.
    """
    # Before `own_promotion`: the user's function is traced with the user's own setting.
    jaxpr, tree = call.traced()
    form = QuadraticForm.of(prepared.directions)
    with own_promotion():
        # An operator of first order has no directions to group.
        if options.in_groups and form.directions:
            arrays, rebuild = call.split()
            traced_again = lambda arrays, x: rebuild(arrays).at(x).traced()[0]  # noqa: E731
            outputs = propagate_in_groups(
                jaxpr, traced_again, arrays, call.x, prepared.coordinates, prepared.directions, prepared.b, options
            )
        else:
            seeds = seed(call.x, prepared.coordinates, prepared.directions.rows, prepared.b)
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

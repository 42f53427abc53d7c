"""A program in segments: up to the first cut, then with the elements of the cut as coordinates up to the next one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.cut.change_coordinates import change_coordinates
from dof.cut.dependency_graph import graph_of
from dof.cut.min_cut import Situation, divide_at_cuts
from dof.jaxpr.dependence import Name
from dof.jaxpr.equation_costs import operations_of
from dof.jaxpr.interpreter import Interpreter
from dof.jaxpr.program import Program, Step, read
from dof.jaxpr.trace_log import CutEntry
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.slots_to_stacks import in_frame, out_of_frame, without_tangents
from dof.triples.triple import SlotTriple, Triple, depends_on_x, has_tangents
from dof.typing import Array


class Segment(NamedTuple):
    """Steps of a program, and the cut after them.

    Attributes:
        steps: the steps.
        cut: names of the values on the cut; empty for the last segment.
        shared: names of values whose tangents, and the form that sums them, are the same for all points of a batch.
        passing: names of values whose tangents no later step needs: they pass the cut as value and applied alone.
    """

    steps: list[Step]
    cut: frozenset[Name] = frozenset()
    shared: frozenset[Name] = frozenset()
    passing: frozenset[Name] = frozenset()


def segments_of(
    interpreter: Interpreter, program: Program, operands: Sequence[Any], wants_tangents: bool
) -> list[Segment]:
    """Divide a program at the cuts that pay; a single segment if none does.

    Args:
        interpreter: its form says how many directions there are; its options whether to look for a cut.
        program: the program.
        operands: the triples and plain arrays that it gets.
        wants_tangents: whether the tangents of the results are asked for.
    """
    whole = [Segment(program.steps)]
    varying = {name: o for name, o in zip(program.inputs, operands, strict=True) if depends_on_x(o)}
    # Segments change the order of steps, which side effects would show.
    if interpreter.options.cut is None or not varying or any(step.eqn.effects for step in program.steps):
        return whole
    widths = {name: _width(o) for name, o in varying.items()}
    wanted = program.output_names if wants_tangents else set()
    graph = graph_of(operations_of(program, list(varying)), widths, wanted)
    situation = _situation(interpreter.form, varying)
    first, *others = divide_at_cuts(graph, situation)
    if not others:
        return whole
    # A step without influence of x has no node; it is taken in the first segment, so that all later ones can read it.
    later = {id(node.step) for part in others for node in part.nodes}
    steps = [[step for step in program.steps if id(step) not in later]]
    steps += [[node.step for node in part.nodes if node.step] for part in others]
    passing = frozenset(name for name, width in graph.widths.items() if not width)
    shared = [frozenset(graph.affine) if situation.is_known else frozenset()] + [frozenset()] * len(others)
    cuts = [part.cut - passing for part in (first, *others)]
    return [Segment(*parts, passing) for parts in zip(steps, cuts, shared, strict=True)]


def _width(operand: SlotTriple) -> int:
    return jnp.size(operand.value) * (2 if jnp.iscomplexobj(operand.value) else 1)


def _situation(form: QuadraticForm, varying: dict[Name, SlotTriple]) -> Situation:
    slots = [o.tangents.slots for o in varying.values() if o.tangents is not None]
    return Situation(
        frozenset(varying),
        form.directions,
        are_apart=not all(s.is_uniform for s in slots),
        is_coupled=bool(form.couplings),
        is_known=form.is_known,
    )


def run_segments(
    interpreter: Interpreter, program: Program, segments: Sequence[Segment], operands: Sequence[Any]
) -> list[Any]:
    """The results of a program that is run segment by segment.

    Tangents of the results are along the directions before the first cut.
    """
    env = {**program.constants, **dict(zip(program.inputs, operands, strict=True))}
    finished: dict[Name, Any] = {}
    changes: list[Array] = []
    for n, segment in enumerate(segments):
        later = {name for after in segments[n + 1 :] for step in after.steps for name in step.names}
        interpreter.run(segment.steps, env, kept=later | program.output_names)
        # Results are brought back to the first directions right away: the next cut drops what later steps do not read.
        ready = {name: env[name] for name in program.output_names if name in env and name not in finished}
        finished.update((name, _in_first_directions(value, changes)) for name, value in ready.items())
        if segment.cut:
            interpreter, env, directions = _pass_cut(interpreter, env, segment)
            changes = [*changes, *directions]
    return [read(finished, atom) for atom in program.outputs]


def _pass_cut(
    interpreter: Interpreter, env: dict[Name, Any], segment: Segment
) -> tuple[Interpreter, dict[Name, Any], list[Array]]:
    """Change the coordinates to the elements of the cut.

    Returns:
        (interpreter with the form K, values by name, [∂_k C_i as an array (old, new)]). A value with tangents that is
        neither on the cut nor passing is dropped: no later step reads it.
    """
    kept = {name: without_tangents(value) if name in segment.passing else value for name, value in env.items()}
    kept = {name: value for name, value in kept.items() if name in segment.cut or not has_tangents(value)}
    names = [name for name, value in kept.items() if has_tangents(value)]
    if not names:
        return interpreter, kept, []
    # Shared values first: their part of K is then one contiguous block that does not depend on the point.
    groups = [[n for n in names if n in segment.shared], [n for n in names if n not in segment.shared]]
    new = change_coordinates(interpreter.form, *([kept[name] for name in group] for group in groups))
    if interpreter.log is not None:
        values = tuple(_describe(kept[name]) for name in names)
        interpreter.log.append(CutEntry(interpreter.form.directions, new.form.directions, values))
    kept.update(zip([*groups[0], *groups[1]], new.triples, strict=True))
    return interpreter.with_form(new.form), kept, [new.directions]


def _describe(triple: SlotTriple) -> str:
    return f"{jnp.result_type(triple.value)}{list(jnp.shape(triple.value))}"


def _in_first_directions(value: Any, changes: Sequence[Array]) -> Any:
    """A value with its tangents along the first directions: ∂_k v = Σ_i (∂_k C_i) ∂v/∂C_i, change by change."""
    for directions in reversed(changes):
        if has_tangents(value):
            now = in_frame(value, np.arange(directions.shape[1]))
            tangents = jnp.tensordot(directions, now.tangents, 1)
            value = out_of_frame(Triple(value.value, tangents, value.applied), np.arange(len(directions)))
    return value

"""A walk in stages: up to a cut, then with its elements as coordinates up to the next one, and so on to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.cut.change_coordinates import exchange
from dof.cut.dependency_graph import graph_of
from dof.cut.min_cut import Situation, divide
from dof.jaxpr.interpreter import Walk
from dof.jaxpr.program import Name, Program, Step, read
from dof.jaxpr.trace_log import Cut
from dof.triples.quadratic_form import Form
from dof.triples.tangents import has_tangents, in_frame, out_of_frame, without_tangents
from dof.triples.triple import Triple
from dof.typing import Array


class Stage(NamedTuple):
    """Steps, and the values of the cut after them."""

    steps: list[Step]
    cut: frozenset[Name] = frozenset()
    shared: frozenset[Name] = frozenset()
    """Those whose derivatives, and how these are summed, are the same for all points of a batch."""
    passing: frozenset[Name] = frozenset()
    """Values whose tangents nothing after the cut needs, and which may just pass."""


def stages_of(walk: Walk, program: Program, operands: Sequence[Any], wants_tangents: bool) -> list[Stage]:
    """How to walk through the program; a single stage if no cut is worth it."""
    whole = [Stage(program.steps)]
    varying = {name: o for name, o in zip(program.inputs, operands, strict=True) if isinstance(o, Triple)}
    if walk.options.cut is None or not varying or any(step.eqn.effects for step in program.steps):
        return whole
    graph = graph_of(program, {name: _width(o) for name, o in varying.items()}, wants_tangents)
    situation = _situation(walk.form, varying)
    first, *others = divide(graph, situation)
    if not others:
        return whole
    later = {id(node.step) for part in others for node in part.nodes}
    steps = [[step for step in program.steps if id(step) not in later]]  # also what x has no influence on
    steps += [[node.step for node in part.nodes if node.step] for part in others]
    passing = frozenset(name for name, width in graph.widths.items() if not width)
    shared = [frozenset(graph.affine) if situation.is_known else frozenset()] + [frozenset()] * len(others)
    cuts = [part.cut - passing for part in (first, *others)]
    return [Stage(*parts, passing) for parts in zip(steps, cuts, shared, strict=True)]


def _width(operand: Triple) -> int:
    return jnp.size(operand.value) * (2 if jnp.iscomplexobj(operand.value) else 1)


def _situation(form: Form, varying: dict[Name, Triple]) -> Situation:
    return Situation(
        frozenset(varying),
        form.directions,
        are_apart=not all(o.tangents.rows.is_uniform for o in varying.values() if has_tangents(o)),
        is_coupled=bool(form.couplings),
        is_known=form.is_known,
    )


def walk_in_stages(walk: Walk, program: Program, stages: Sequence[Stage], operands: Sequence[Any]) -> list[Any]:
    """The results, with tangents in the directions of the start."""
    env = {**program.constants, **dict(zip(program.inputs, operands, strict=True))}
    finished: dict[Name, Any] = {}
    old: list[Array] = []
    for n, stage in enumerate(stages):
        later = {name for after in stages[n + 1 :] for step in after.steps for name in step.names}
        walk.run(stage.steps, env, kept=later | program.output_names)
        ready = {name: env[name] for name in program.output_names if name in env and name not in finished}
        finished.update((name, _in_first_directions(value, old)) for name, value in ready.items())
        if stage.cut:
            walk, env, directions = _pass(walk, env, stage)
            old = [*old, *directions]
    return [read(finished, atom) for atom in program.outputs]


def _pass(walk: Walk, env: dict[Name, Any], stage: Stage) -> tuple[Walk, dict[Name, Any], list[Array]]:
    """Exchange the directions. A value that has others, and is neither on the cut nor just passing, is gone."""
    kept = {name: without_tangents(value) if name in stage.passing else value for name, value in env.items()}
    kept = {name: value for name, value in kept.items() if name in stage.cut or not has_tangents(value)}
    names = [name for name, value in kept.items() if has_tangents(value)]
    if not names:
        return walk, kept, []
    groups = [[n for n in names if n in stage.shared], [n for n in names if n not in stage.shared]]
    exchanged = exchange(walk.form, *([kept[name] for name in group] for group in groups))
    if walk.log is not None:
        values = tuple(_describe(kept[name]) for name in names)
        walk.log.append(Cut(walk.form.directions, exchanged.form.directions, values))
    kept.update(zip([*groups[0], *groups[1]], exchanged.triples, strict=True))
    return walk.with_form(exchanged.form), kept, [exchanged.directions]


def _describe(triple: Triple) -> str:
    return f"{jnp.result_type(triple.value)}{list(jnp.shape(triple.value))}"


def _in_first_directions(value: Any, old: Sequence[Array]) -> Any:
    for directions in reversed(old):
        if has_tangents(value):
            now = in_frame(value, np.arange(directions.shape[1]))
            tangents = jnp.tensordot(directions, now.tangents, 1)
            value = out_of_frame(Triple(value.value, tangents, value.applied), np.arange(len(directions)))
    return value

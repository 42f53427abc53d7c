"""Directions in groups, one after the other: for functions whose tangents do not fit, even for one single point.

    (𝓛 − c) f = Σ_groups Σ_{k in group} w_k ∂_k² f + b·∇f

Groups may also be distributed over the devices of a mesh, which then exchange one sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from dof.batching.devices import SAME, on_each_device
from dof.directions.shared import SharedDirections
from dof.directions.sparse_rows import RowBlock, SparseRows, dense_rows
from dof.jax_compat import Closed, as_function, varying_over
from dof.jaxpr.interpreter import Interpreter
from dof.operators.coordinates import Coordinates
from dof.options import Options
from dof.triples.quadratic_form import QuadraticForm
from dof.triples.slot_tangents import SlotTangents
from dof.triples.slots import uniform
from dof.triples.triple import SlotTriple, applied_of
from dof.typing import Array


class SquaredDirections(NamedTuple):
    """Directions that are each summed with themselves.

    Attributes:
        entries: the directions (k, N), or the nonzero entries of each, (k, m).
        columns: the coordinates of the nonzero entries, (k, m); None if the entries are whole rows.
        weights: (k, channels).
    """

    entries: Array
    columns: Array | None
    weights: Array


def squared_directions(shared: SharedDirections) -> SquaredDirections:
    """The directions of all operators, with couplings written as squares of further directions."""
    form = QuadraticForm.of(shared)
    weights = jnp.asarray(form.weights).T
    if not form.couplings and all(isinstance(block, SparseRows) for block in shared.rows):
        return _sparse(shared.rows, weights)
    return _without_couplings(SquaredDirections(jnp.asarray(dense_rows(shared.rows)), None, weights), form)


def _sparse(rows: Sequence[RowBlock], weights: Array) -> SquaredDirections:
    padded = [block.padded() for block in rows if isinstance(block, SparseRows)]
    most = max((entries.shape[1] for entries, _ in padded), default=0)
    grown = [[np.pad(part, ((0, 0), (0, most - part.shape[1]))) for part in pair] for pair in padded]
    entries, columns = (jnp.concatenate(parts) for parts in zip(*grown, strict=True))
    return SquaredDirections(entries, columns, weights)


def _without_couplings(found: SquaredDirections, form: QuadraticForm) -> SquaredDirections:
    """Σ_kl q_kl g_k g_l = Σ_k ((g_k + h_k)² − (g_k − h_k)²) / 4 with h_k = Σ_l q_kl g_l."""
    rows, weights = [found.entries], [found.weights]
    for coupling in form.couplings:
        for start, partners in coupling.sums(found.entries):
            own = found.entries[start : start + len(partners)]
            one = jnp.zeros((len(own), form.channels), own.dtype).at[:, coupling.channel].set(1)
            rows += [(own + partners) / 2, (own - partners) / 2]
            weights += [one, -one]
    return SquaredDirections(jnp.concatenate(rows), None, jnp.concatenate(weights))


def propagate_in_groups(
    jaxpr: Closed,
    trace: Callable[[Any, Any], Closed],
    arrays: Sequence[Any],
    x: Any,
    coordinates: Coordinates,
    shared: SharedDirections,
    b: Array | None,
    options: Options,
) -> list[Any]:
    """The outputs of a program at x as triples without tangents.

    Args:
        jaxpr: the program.
        trace: (arrays, x) ↦ the program. For derivatives the program is traced again where it runs, on each device, and
            must not close over what is elsewhere.
        arrays: all arrays that the program is made of.
        x: the point.
        coordinates: of x.
        shared: the directions.
        b: (channels, N), or None.
        options: how many directions a group has, and the devices.
    """

    def of_group(arrays: Any, leaves: Any, b: Any, group: SquaredDirections, is_first: Any) -> list[Any]:
        data = coordinates.split(_dense_rows(group, coordinates.size))
        tangents = [SlotTangents(part, uniform(np.arange(len(part)), part.ndim - 1)) for part in data]
        # b·∇f is no sum over directions: one group alone counts it.
        applied = [None] * len(leaves) if b is None else coordinates.split(b * is_first)
        seeds = list(map(SlotTriple.or_constant, leaves, tangents, applied))
        # Which entries of a group are zero is known at run time only, so there is no structure to look for.
        interpreter = Interpreter(QuadraticForm(group.weights.T), Options("dense", cut=None))
        program = trace(arrays, jax.tree.unflatten(coordinates.tree, leaves))
        return [applied_of(out) for out in interpreter(program, seeds)]

    leaves = jax.tree.leaves(x)
    total = _sum_over_groups(of_group, squared_directions(shared), options, arrays, leaves, b)
    # Once, not in every group: of the groups only what is applied is added up.
    values = as_function(jaxpr)(*leaves)
    return [SlotTriple.or_constant(value, None, applied) for value, applied in zip(values, total, strict=True)]


def _dense_rows(found: SquaredDirections, n: int) -> Array:
    if found.columns is None:
        return found.entries
    size = found.entries.shape[0]
    # Added, not written: rows are filled up with entry 0 in column 0, where another entry may stand.
    return jnp.zeros((size, n), found.entries.dtype).at[np.arange(size)[:, None], found.columns].add(found.entries)


def _sum_over_groups(of_group: Callable[..., Any], found: SquaredDirections, options: Options, *args: Any) -> Any:
    mesh, axis = options.mesh, options.axis or ""
    devices = 1 if mesh is None else mesh.shape[axis]
    count = found.entries.shape[0]
    size = min(options.directions or count, -(-count // devices)) or 1
    groups = devices * -(-count // (devices * size))
    grouped = jax.tree.map(lambda part: _in_groups(part, groups, size), found)
    is_first = (jnp.arange(groups) == 0).astype(found.entries.dtype)
    if mesh is None:
        return _sum(of_group, args, (grouped, is_first), lambda tree: tree)

    def on_one(args: Any, groups: Any) -> Any:
        total = _sum(of_group, varying_over(args, axis), groups, lambda tree: varying_over(tree, axis))
        return lax.psum(total, axis)

    return on_each_device(on_one, mesh, axis, args, (grouped, is_first), SAME)


def _in_groups(part: Array, groups: int, size: int) -> Array:
    """An array (k, …) as (groups, size, …), filled up with zeros: directions without entries and without weight."""
    missing = groups * size - part.shape[0]
    return jnp.pad(part, ((0, missing), *[(0, 0)] * (part.ndim - 1))).reshape(groups, size, *part.shape[1:])


def _sum(of_group: Callable[..., Any], args: Any, groups: Any, mark: Callable[[Any], Any]) -> Any:
    """The sum over groups, one after the other; for derivatives each group is run again."""
    again = jax.checkpoint(lambda args, group: of_group(*args, *group))
    # The sum starts from zeros of the right types, so that the first group is like all others.
    shapes = jax.eval_shape(again, args, jax.tree.map(lambda part: part[0], groups))
    nothing = mark(jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes))
    add = lambda total, group: (jax.tree.map(jnp.add, total, again(args, group)), None)  # noqa: E731
    return lax.scan(add, nothing, groups)[0]

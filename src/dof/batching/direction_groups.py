"""Directions in groups, one after the other: for functions whose tangents do not fit, even for one single point.

    L f = Σ_groups Σ_{k in group} w_k (second derivative of f along k) + b·∇f

Groups may also be spread over the devices of a mesh, which then exchange one sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec

from dof.directions.sparse_rows import Group, KnownRows
from dof.jax_compat import Closed, as_function, place, varying_over
from dof.jaxpr.interpreter import Walk
from dof.operators.coordinates import Space
from dof.options import Options
from dof.triples.quadratic_form import Form
from dof.triples.slots import uniform
from dof.triples.tangents import Tangents
from dof.triples.triple import applied_of, triple_or_constant
from dof.typing import Array


class Lines(NamedTuple):
    """Directions that are each summed with themselves: row k is `entries[k]`, at `columns[k]` if it is sparse."""

    entries: Array
    columns: Array | None
    weights: Array
    """(directions, channels)"""


def lines_of(groups: Sequence[Group], form: Form) -> Lines:
    weights = jnp.asarray(form.weights).T
    if not form.couplings and all(isinstance(group, KnownRows) for group in groups):
        padded = [group.padded() for group in groups if isinstance(group, KnownRows)]
        most = max((entries.shape[1] for entries, _ in padded), default=0)
        grown = [[np.pad(part, ((0, 0), (0, most - part.shape[1]))) for part in pair] for pair in padded]
        entries, columns = (jnp.concatenate(parts) for parts in zip(*grown, strict=True))
        return Lines(entries, columns, weights)
    rows = jnp.concatenate([g.dense() if isinstance(g, KnownRows) else g for g in groups])
    return _without_couplings(Lines(rows, None, weights), form)


def _without_couplings(lines: Lines, form: Form) -> Lines:
    """Σ_kl q_kl g_k g_l = Σ_k ((g_k + h_k)² − (g_k − h_k)²) / 4 with h_k = Σ_l q_kl g_l."""
    rows, weights = [lines.entries], [lines.weights]
    for coupling in form.couplings:
        for start, partners in coupling.sums(lines.entries):
            own = lines.entries[start : start + len(partners)]
            one = jnp.zeros((len(own), form.channels), own.dtype).at[:, coupling.channel].set(1)
            rows += [(own + partners) / 2, (own - partners) / 2]
            weights += [one, -one]
    return Lines(jnp.concatenate(rows), None, jnp.concatenate(weights))


def propagate_in_groups(
    jaxpr: Closed,
    trace: Callable[[Any, Any], Closed],
    arrays: Sequence[Any],
    x: Any,
    space: Space,
    lines: Lines,
    drifts: Array | None,
    options: Options,
) -> list[Any]:
    """The outputs of `jaxpr` at x as triples without tangents. For derivatives it is traced again where it runs, on
    each device, and must not close over what is elsewhere: `trace` takes x and all `arrays` that it is made of."""

    def of_group(arrays: Any, leaves: Any, drifts: Any, lines: Lines, is_first: Any) -> list[Any]:
        data = space.split(_dense_rows(lines, space.size))
        tangents = [Tangents(part, uniform(np.arange(len(part)), part.ndim - 1)) for part in data]
        applied = [None] * len(leaves) if drifts is None else space.split(drifts * is_first)
        seeds = list(map(triple_or_constant, leaves, tangents, applied))
        walk = Walk(Form(lines.weights.T), Options("dense", cut=None))
        return [applied_of(out) for out in walk(trace(arrays, jax.tree.unflatten(space.tree, leaves)), seeds)]

    leaves = jax.tree.leaves(x)
    total = _sum_over_groups(of_group, lines, options, arrays, leaves, drifts)
    values = as_function(jaxpr)(*leaves)
    return [triple_or_constant(value, None, applied) for value, applied in zip(values, total, strict=True)]


def _dense_rows(lines: Lines, n: int) -> Array:
    if lines.columns is None:
        return lines.entries
    size = lines.entries.shape[0]
    return jnp.zeros((size, n), lines.entries.dtype).at[np.arange(size)[:, None], lines.columns].add(lines.entries)


def _sum_over_groups(of_group: Callable[..., Any], lines: Lines, options: Options, *args: Any) -> Any:
    mesh, axis = options.mesh, options.axis or ""
    devices = 1 if mesh is None else mesh.shape[axis]
    count = lines.entries.shape[0]
    size = min(options.directions or count, -(-count // devices)) or 1
    blocks = devices * -(-count // (devices * size))
    grouped = jax.tree.map(lambda part: _in_groups(part, blocks, size), lines)
    is_first = (jnp.arange(blocks) == 0).astype(lines.entries.dtype)
    if mesh is None:
        return _sum(of_group, args, (grouped, is_first), lambda tree: tree)

    def on_one(args: Any, groups: Any) -> Any:
        total = _sum(of_group, varying_over(args, axis), groups, lambda tree: varying_over(tree, axis))
        return lax.psum(total, axis)

    same, split = PartitionSpec(), PartitionSpec(axis)
    on_each = jax.shard_map(on_one, mesh=mesh, in_specs=(same, split), out_specs=same, axis_names={axis})
    return on_each(place(args, mesh, same), place((grouped, is_first), mesh, split))


def _in_groups(part: Array, blocks: int, size: int) -> Array:
    """(k, …) ↦ (blocks, size, …); what is missing is zero: a direction without entries and without weight."""
    missing = blocks * size - part.shape[0]
    return jnp.pad(part, ((0, missing), *[(0, 0)] * (part.ndim - 1))).reshape(blocks, size, *part.shape[1:])


def _sum(of_group: Callable[..., Any], args: Any, groups: Any, mark: Callable[[Any], Any]) -> Any:
    """One group after the other; for derivatives each is run again."""
    again = jax.checkpoint(lambda args, group: of_group(*args, *group))
    shapes = jax.eval_shape(again, args, jax.tree.map(lambda part: part[0], groups))
    nothing = mark(jax.tree.map(lambda shape: jnp.zeros(shape.shape, shape.dtype), shapes))
    add = lambda total, group: (jax.tree.map(jnp.add, total, again(args, group)), None)  # noqa: E731
    return lax.scan(add, nothing, groups)[0]

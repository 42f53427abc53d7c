"""Equations on triples that know their directions, by rules that know nothing of them.

A rule works on plain arrays with one axis of directions in front. What stands on that axis differs:
framed      the directions that occur in any operand, the same for all elements
pointwise   for each element its own, as long as elements do not meet
flowing     for each element its own, after those along mixed axes were put together
spreading   for each element its own before, the same for all elements after: sums over everything that differs

Those for which it does not pay that elements have directions of their own return None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, SupportsIndex

import jax.numpy as jnp
import numpy as np

from dof.sparsity.slot_flow import Flow
from dof.triples.quadratic_form import NO_PAIRS, Apart, Form, LocalForm
from dof.triples.slots import Rows, collapse, merge, rows
from dof.triples.tangents import (
    Tangents,
    embed,
    frame_of,
    has_tangents,
    in_frame,
    out_of_frame,
    with_data,
    with_rows,
    without_tangents,
)
from dof.triples.triple import Triple, applied_of, spread, value_of

Rule = Callable[..., Sequence[Any]]


@dataclass(frozen=True)
class PlainWalk:
    """What rules on plain arrays get: the form of their directions, and a walk for inner programs on such arrays."""

    form: Any
    structured: Callable[..., Any]

    def with_form(self, form: Any) -> PlainWalk:
        return PlainWalk(form, self.structured)

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        return self._plainly(lambda walk, known: walk.through(function, known), operands)

    def __call__(self, jaxpr: Any, operands: Sequence[Any]) -> list[Any]:
        return self._plainly(lambda walk, known: walk(jaxpr, known), operands)

    def _plainly(self, go: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        frame = np.arange(self.form.directions)
        results = go(self.structured(self.form), [out_of_frame(o, frame) for o in operands])
        return [in_frame(result, frame) for result in results]


def framed(walk: Any, rule: Rule, operands: Sequence[Any], params: dict[str, Any]) -> Sequence[Any]:
    frame = frame_of(operands)
    form = walk.form.within(frame, disjoint_pairs(walk.form, operands))
    plain = PlainWalk(form, walk.with_form)
    results = rule(plain, *(in_frame(o, frame) for o in operands), **params)
    return [out_of_frame(result, frame) for result in results]


def pointwise(
    walk: Any, rule: Rule, operands: Sequence[Any], params: dict[str, Any], shape: tuple[int, ...]
) -> Sequence[Any] | None:
    common = merge([_lifted(o.tangents.rows, len(shape)) for o in operands if has_tangents(o)])
    if not walk.keeps(common, len(common.directions)):
        return None
    form = LocalForm(walk.form, common.index, disjoint_pairs(walk.form, operands))
    plain = [with_data(_with_shape(operand, shape), common) for operand in operands]
    results = rule(PlainWalk(form, walk.with_form), *plain, **params)
    return [with_rows(result, common) for result in results]


def flowing(walk: Any, rule: Rule, operands: Sequence[Any], params: dict[str, Any], flow: Flow) -> Sequence[Any] | None:
    mixed = [_after_mixing(o, flow.mixes(params, n)) for n, o in enumerate(operands)]
    directions = len(frame_of(operands))
    if not all(walk.keeps(these, directions) for these in mixed if these is not None):
        return None
    slots = max(len(these) for these in mixed if these is not None)
    indices = flow.moves(params, list(map(_index, mixed, operands)), [np.shape(value_of(o)) for o in operands])
    plain = [_plain(*pair, slots) for pair in zip(operands, mixed, strict=True)]
    unused = Form(np.zeros((walk.form.channels, slots)))  # linear equations do not sum over directions
    results = rule(PlainWalk(unused, walk.with_form), *plain, **params)
    return [with_rows(result, rows(index)) for result, index in zip(results, indices, strict=True)]


def spreading(
    walk: Any, rule: Rule, operands: Sequence[Any], params: dict[str, Any], tangents: Tangents
) -> Sequence[Any]:
    """Value and what is applied by the rule; the tangents are there already."""
    (result,) = rule(PlainWalk(walk.form, walk.with_form), *map(without_tangents, operands), **params)
    return [Triple(value_of(result), tangents, applied_of(result))]


def disjoint_pairs(form: Form, operands: Sequence[Any]) -> Apart:
    """Pairs of operands without a common direction. Couplings may join any two directions."""
    if form.couplings:
        return NO_PAIRS
    found = {n: o.tangents.rows.directions for n, o in enumerate(operands) if has_tangents(o)}
    return frozenset((i, j) for i, j in combinations(found, 2) if not np.intersect1d(found[i], found[j]).size)


def _after_mixing(operand: Any, axes: Sequence[SupportsIndex]) -> Rows | None:
    return collapse(operand.tangents.rows, axes) if has_tangents(operand) else None


def _index(these: Rows | None, operand: Any) -> np.ndarray:
    """The index; without tangents one without slots."""
    return np.zeros((0, *[1] * jnp.ndim(value_of(operand))), int) if these is None else these.index


def _plain(operand: Any, new: Rows | None, slots: int) -> Any:
    """Plain arrays in the slots of `new`, with empty ones added at the end."""
    if new is None:
        return operand
    data = embed(operand.tangents, new)
    missing = slots - len(data)
    padded = jnp.pad(data, ((0, missing), *[(0, 0)] * (data.ndim - 1))) if missing else data
    return Triple(operand.value, padded, operand.applied)


def _lifted(these: Rows, ndim: int) -> Rows:
    """Rows of an operand that broadcasts against others of an elementwise equation."""
    index = these.index
    return Rows(index.reshape(len(index), *[1] * (ndim + 1 - index.ndim), *index.shape[1:]))


def _with_shape(operand: Any, shape: tuple[int, ...]) -> Any:
    """Such an operand with the full shape."""
    if not isinstance(operand, Triple) or jnp.shape(operand.value) == shape:
        return operand
    value = jnp.broadcast_to(operand.value, shape)
    applied = spread(operand.applied, value)
    if not has_tangents(operand):
        return Triple(value, None, applied)
    return Triple(
        value, Tangents(spread(operand.tangents.data, value), _lifted(operand.tangents.rows, len(shape))), applied
    )

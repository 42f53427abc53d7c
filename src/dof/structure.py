"""Equations on triples that know their directions, by rules that know nothing of them.

A rule works on plain arrays with one axis of directions in front. What stands on that axis differs:
framed      the directions that occur in any operand, the same for all elements
pointwise   for each element its own, as long as elements do not meet
flowing     for each element its own, after those along mixed axes were put together
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import jax.numpy as jnp
import numpy as np

from dof.flow import Flow
from dof.form import Form, LocalForm
from dof.rows import Rows, collapse, rows
from dof.tangents import aligned, frame_of, has_tangents, in_frame, out_of_frame, with_data, with_rows
from dof.triple import Triple, spread, value_of

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
    plain = PlainWalk(walk.form.within(frame), walk.with_form)
    results = rule(plain, *(in_frame(o, frame) for o in operands), **params)
    return [out_of_frame(result, frame) for result in results]


def pointwise(
    walk: Any, rule: Rule, operands: Sequence[Any], params: dict[str, Any], shape: tuple[int, ...]
) -> Sequence[Any]:
    plain, common = aligned([_with_shape(operand, shape) for operand in operands])
    if not _pays(common):
        return framed(walk, rule, operands, params)
    results = rule(PlainWalk(LocalForm(walk.form, common.index), walk.with_form), *plain, **params)
    return [with_rows(result, common) for result in results]


def flowing(walk: Any, rule: Rule, operands: Sequence[Any], params: dict[str, Any], flow: Flow) -> Sequence[Any]:
    collapsed = [_collapsed(o, flow.mixes(params, n)) for n, o in enumerate(operands)]
    slots = max(len(index) for index in map(_index, collapsed))
    if not all(_pays(o.tangents.rows) for o in collapsed if has_tangents(o)):
        return framed(walk, rule, operands, params)
    indices = flow.moves(params, [_index(o) for o in collapsed], [np.shape(value_of(o)) for o in collapsed])
    plain = [_plain(operand, slots) for operand in collapsed]
    unused = Form(np.zeros((walk.form.channels, slots)))  # linear equations do not sum over directions
    results = rule(PlainWalk(unused, walk.with_form), *plain, **params)
    return [with_rows(result, rows(index)) for result, index in zip(results, indices, strict=True)]


def _pays(these: Rows) -> bool:
    """Whether slots for each element are fewer than the directions of all, by enough to make up for masks."""
    return 2 * len(these) <= len(these.directions)


def _collapsed(operand: Any, axes: Sequence[SupportsIndex]) -> Any:
    if not has_tangents(operand):
        return operand
    new = collapse(operand.tangents.rows, axes)
    return with_rows(with_data(operand, new), new)


def _index(operand: Any) -> np.ndarray:
    """The index; without tangents one without slots."""
    return (
        operand.tangents.rows.index if has_tangents(operand) else np.zeros((0, *[1] * jnp.ndim(value_of(operand))), int)
    )


def _plain(operand: Any, slots: int) -> Any:
    """Plain arrays, with empty slots added at the end."""
    if not has_tangents(operand):
        return operand
    data = operand.tangents.data
    missing = slots - len(data)
    padded = jnp.pad(data, ((0, missing), *[(0, 0)] * (data.ndim - 1))) if missing else data
    return Triple(operand.value, padded, operand.applied)


def _with_shape(operand: Any, shape: tuple[int, ...]) -> Any:
    """An operand that broadcasts against others of an elementwise equation, with the full shape."""
    if not isinstance(operand, Triple) or jnp.shape(operand.value) == shape:
        return operand
    value = jnp.broadcast_to(operand.value, shape)
    applied = spread(operand.applied, value)
    if not has_tangents(operand):
        return Triple(value, None, applied)
    index = operand.tangents.rows.index
    lifted = rows(index.reshape(len(index), *[1] * (len(shape) + 1 - index.ndim), *index.shape[1:]))
    return with_rows(Triple(value, spread(operand.tangents.data, value), applied), lifted)

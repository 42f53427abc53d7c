"""Which parts of a triple are zero, and which directions it has: what loops and branches must agree on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from dof.jax_compat import vary_like
from dof.triples.quadratic_form import Form
from dof.triples.slots import Rows, merge, uniform
from dof.triples.tangents import Tangents, embed, has_tangents
from dof.triples.triple import Triple, triple_or_constant, zeros_stacked


class Kind(NamedTuple):
    """The rows of the tangents, or None for no tangents; and whether something is applied."""

    rows: Rows | None
    has_applied: bool


def kind_of(operand: Any) -> Kind:
    rows = operand.tangents.rows if has_tangents(operand) else None
    return Kind(rows, isinstance(operand, Triple) and operand.applied is not None)


def join(kinds: Sequence[Kind], others: Sequence[Kind]) -> list[Kind]:
    return [Kind(_joined(a.rows, b.rows), a.has_applied or b.has_applied) for a, b in zip(kinds, others, strict=True)]


def _joined(one: Rows | None, two: Rows | None) -> Rows | None:
    if one is None or two is None:
        return two if one is None else one
    return merge([one, two])


def promote(form: Form, operands: Sequence[Any], kinds: Sequence[Kind]) -> list[Any]:
    """The operands with zeros written out where a part or a direction is asked for that they lack."""
    return [_promote(form, operand, kind) for operand, kind in zip(operands, kinds, strict=True)]


def _promote(form: Form, operand: Any, kind: Kind) -> Any:
    x = operand if isinstance(operand, Triple) else Triple(operand, None, None)
    tangents, applied = x.tangents, x.applied
    if kind.rows is not None:
        data = zeros_stacked(len(kind.rows), x.value) if tangents is None else embed(tangents, kind.rows)
        tangents = Tangents(vary_like(jnp.asarray(data), x.value), kind.rows)
    if kind.has_applied:
        applied = vary_like(zeros_stacked(form.channels, x.value) if applied is None else applied, x.value)
    return triple_or_constant(x.value, tangents, applied)


def settle(form: Form, kinds_after: Callable[[list[Any]], list[Kind]], carry: Sequence[Any]) -> list[Kind]:
    """The kinds that the carry of a loop comes to; `kinds_after` gives those of the carry after one step."""
    kinds = [kind_of(c) for c in carry]
    for turn in count():
        joined = join(kinds, kinds_after(promote(form, carry, kinds)))
        if joined == kinds:
            return kinds
        kinds = joined if turn < PATIENCE else _uniform(joined)
    raise AssertionError("there are only so many directions")


PATIENCE = 3
"""Turns after which elements that still come to depend on more directions get all that there are."""


def _uniform(kinds: Sequence[Kind]) -> list[Kind]:
    found = np.unique(np.concatenate([kind.rows.directions for kind in kinds if kind.rows is not None]))
    return [k if k.rows is None else Kind(uniform(found, k.rows.index.ndim - 1), k.has_applied) for k in kinds]


def remembered(
    walk: Any, programs: Sequence[Any], operands: Sequence[Any], find: Callable[[], list[Kind]]
) -> list[Kind]:
    """What `find` finds for these programs and operands, once in a walk: else inner loops would be walked again for
    every loop around them, each time twice."""
    key = (*map(id, programs), *map(kind_of, operands))
    if key not in walk.memory:
        walk.memory[key] = (programs, find())  # with the programs, so that their identity stays theirs
    return walk.memory[key][1]

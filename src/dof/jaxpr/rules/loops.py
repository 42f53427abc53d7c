"""Loops and branches: the same loop on triples.

A carry may start constant and come to depend on x. Which carries do is found before the loop is built: walk the body
once on types alone, let what comes out as a triple go in as one, and repeat until nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from dof.jax_compat import Primitive, as_function, scan_counts
from dof.jaxpr.loop_types import Kind, join, kind_of, promote, remembered, settle
from dof.jaxpr.registry import Rule, register_named
from dof.triples.slots import Rows, collapse
from dof.triples.tangents import Tangents, embed
from dof.triples.triple import Triple, value_of


def scan_rule(primitive: Primitive) -> Rule:
    def rule(walk: Any, *operands: Any, jaxpr: Any, length: int, reverse: bool, unroll: Any, **params: Any) -> Any:
        n_consts, n_carry = scan_counts(params)
        consts, init, xs = operands[:n_consts], operands[n_consts : n_consts + n_carry], operands[n_consts + n_carry :]
        slices = [_sliced(x) for x in xs]

        def step(walk: Any, carry: Sequence[Any], x: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            out = walk(jaxpr, [*consts, *carry, *x])
            return list(out[:n_carry]), list(out[n_carry:])

        def kinds_after(start: Sequence[Any]) -> list[Kind]:
            found: list[Kind] = []

            def probe(carry: Sequence[Any], x: Sequence[Any]) -> tuple[Sequence[Any], None]:
                found[:] = map(kind_of, step(walk.unlogged(), carry, x)[0])
                return carry, None

            jax.eval_shape(lambda: lax.scan(probe, start, slices, length=length))
            return found

        kinds = remembered(walk, [jaxpr], operands, lambda: settle(walk.form, kinds_after, init))

        def body(carry: Sequence[Any], x: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            new, ys = step(walk, carry, x)
            return promote(walk.form, new, kinds), ys

        carry, ys = lax.scan(
            body, promote(walk.form, init, kinds), slices, length=length, reverse=reverse, unroll=unroll
        )
        return [*carry, *map(_stacked, ys)]

    return rule


def _sliced(x: Any) -> Any:
    """The axis of the scan in front of that of directions or channels; all slices get the same directions."""
    if not isinstance(x, Triple):
        return x
    tangents = x.tangents
    if tangents is not None:
        common = collapse(tangents.rows, (0,))
        tangents = Tangents(jnp.swapaxes(embed(tangents, common), 0, 1), Rows(common.index[:, 0]))
    return Triple(x.value, tangents, None if x.applied is None else jnp.swapaxes(x.applied, 0, 1))


def _stacked(y: Any) -> Any:
    """The other way round."""
    if not isinstance(y, Triple):
        return y
    tangents = y.tangents
    if tangents is not None:
        tangents = Tangents(jnp.swapaxes(tangents.data, 0, 1), Rows(tangents.rows.index[:, None]))
    return Triple(y.value, tangents, None if y.applied is None else jnp.swapaxes(y.applied, 0, 1))


def while_rule(primitive: Primitive) -> Rule:
    """Whether to go on is decided by values alone; under vmap, for each example by itself."""

    def rule(walk: Any, *operands: Any, cond_jaxpr: Any, body_jaxpr: Any, **params: Any) -> Any:
        n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
        asked, consts, init = operands[:n_cond], operands[n_cond : n_cond + n_body], operands[n_cond + n_body :]

        def kinds_after(carry: Sequence[Any]) -> list[Kind]:
            return list(map(kind_of, jax.eval_shape(lambda: walk.unlogged()(body_jaxpr, [*consts, *carry]))))

        kinds = remembered(walk, [body_jaxpr], operands, lambda: settle(walk.form, kinds_after, init))

        def goes_on(carry: Sequence[Any]) -> Any:
            return as_function(cond_jaxpr)(*map(value_of, asked), *map(value_of, carry))[0]

        def body(carry: Sequence[Any]) -> list[Any]:
            new = promote(walk.form, walk(body_jaxpr, [*consts, *carry]), kinds)
            if cond_jaxpr.out_avals[0].ndim == 0:
                return new
            examples = goes_on(carry)
            return [_where(examples, *pair) for pair in zip(new, carry, strict=True)]

        return lax.while_loop(lambda carry: jnp.any(goes_on(carry)), body, promote(walk.form, init, kinds))

    return rule


def _where(examples: Any, new: Any, old: Any) -> Any:
    """The new carry for the examples that go on, the old one for the others; examples are the first axes of values."""

    def choose(new: Any, old: Any, front: int = 0) -> Any:
        after = jnp.ndim(new) - front - jnp.ndim(examples)
        return jnp.where(examples.reshape(*[1] * front, *examples.shape, *[1] * after), new, old)

    if not isinstance(new, Triple):
        return choose(new, old)
    parts = ((new.tangents, old.tangents), (new.applied, old.applied))
    in_front = [jax.tree.map(lambda a, b: choose(a, b, front=1), *pair) for pair in parts]
    return Triple(choose(new.value, old.value), *in_front)


def cond_rule(primitive: Primitive) -> Rule:
    """All branches return what any of them returns: a result is a triple if it is one in some branch."""

    def rule(walk: Any, index: Any, *operands: Any, branches: Any, **params: Any) -> Any:
        def find() -> list[Kind]:
            shapes = [jax.eval_shape(lambda b=b: walk.unlogged()(b, operands)) for b in branches]
            return reduce(join, ([kind_of(out) for out in of_branch] for of_branch in shapes))

        kinds = remembered(walk, branches, operands, find)
        walked = [lambda *inner, b=b: promote(walk.form, walk(b, inner), kinds) for b in branches]
        return lax.switch(index, walked, *operands)

    return rule


register_named("scan", "loop", scan_rule, structured=True)
register_named("while", "loop", while_rule, structured=True)
register_named("cond", "loop", cond_rule, structured=True)

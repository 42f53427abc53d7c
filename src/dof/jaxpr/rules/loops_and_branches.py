"""Loops and branches: the same loop or branch on triples, with carries of one type (`loop_carries.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from dof.jax_compat import Primitive, as_function, scan_counts
from dof.jaxpr.registry import InnerPrograms, register_named
from dof.jaxpr.rules.loop_carries import CarryType, join, promote, remembered, stable_types, type_of
from dof.triples.rule_context import Rule, SlotContext
from dof.triples.slot_tangents import SlotTangents, embed
from dof.triples.slots import Slots, collapse
from dof.triples.triple import SlotTriple, depends_on_x, value_of

TURNS = 10
"""How often a loop of unknown length is taken to run, for estimates of its cost only."""


def scan_rule(primitive: Primitive) -> Rule:
    """A scan on triples, whose carry has the same type in every turn."""

    def rule(
        context: SlotContext, *operands: Any, jaxpr: Any, length: int, reverse: bool, unroll: Any, **params: Any
    ) -> Any:
        n_consts, n_carry = scan_counts(params)
        consts, init, xs = operands[:n_consts], operands[n_consts : n_consts + n_carry], operands[n_consts + n_carry :]
        slices = [_sliced(x) for x in xs]

        def step(context: SlotContext, carry: Sequence[Any], x: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            out = context(jaxpr, [*consts, *carry, *x])
            return list(out[:n_carry]), list(out[n_carry:])

        def types_after(start: Sequence[Any]) -> list[CarryType]:
            found: list[CarryType] = []

            def probe(carry: Sequence[Any], x: Sequence[Any]) -> tuple[Sequence[Any], None]:
                # Unlogged, because `dof.explain` shows the body once, however many rounds it takes to find the types.
                found[:] = map(type_of, step(context.unlogged(), carry, x)[0])
                return carry, None

            # By way of a scan, which hands the body one slice of each operand, as the loop itself will.
            jax.eval_shape(lambda: lax.scan(probe, start, slices, length=length))
            return found

        types = remembered(context, [jaxpr], operands, lambda: stable_types(context.form, types_after, init))

        def body(carry: Sequence[Any], x: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            new, ys = step(context, carry, x)
            return promote(context.form, new, types), ys

        carry, ys = lax.scan(
            body, promote(context.form, init, types), slices, length=length, reverse=reverse, unroll=unroll
        )
        return [*carry, *map(_stacked, ys)]

    return rule


def _sliced(x: Any) -> Any:
    """An operand that is scanned over, with the axis of the scan moved in front of directions and channels.

    All slices get the same slots: those of all of them joined.
    """
    if not depends_on_x(x):
        return x
    tangents = x.tangents
    if tangents is not None:
        common = collapse(tangents.slots, (0,))
        tangents = SlotTangents(jnp.swapaxes(embed(tangents, common), 0, 1), Slots(common.index[:, 0]))
    return SlotTriple(x.value, tangents, None if x.applied is None else jnp.swapaxes(x.applied, 0, 1))


def _stacked(y: Any) -> Any:
    """The stacked results of a scan, with the axis of the scan moved behind directions and channels."""
    if not depends_on_x(y):
        return y
    tangents = y.tangents
    if tangents is not None:
        tangents = SlotTangents(jnp.swapaxes(tangents.data, 0, 1), Slots(tangents.slots.index[:, None]))
    return SlotTriple(y.value, tangents, None if y.applied is None else jnp.swapaxes(y.applied, 0, 1))


def while_rule(primitive: Primitive) -> Rule:
    """A while loop on triples; values alone decide whether it goes on, under vmap for each example by itself."""

    def rule(context: SlotContext, *operands: Any, cond_jaxpr: Any, body_jaxpr: Any, **params: Any) -> Any:
        n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
        asked, consts, init = operands[:n_cond], operands[n_cond : n_cond + n_body], operands[n_cond + n_body :]

        def types_after(carry: Sequence[Any]) -> list[CarryType]:
            return list(map(type_of, jax.eval_shape(lambda: context.unlogged()(body_jaxpr, [*consts, *carry]))))

        types = remembered(context, [body_jaxpr], operands, lambda: stable_types(context.form, types_after, init))

        def goes_on(carry: Sequence[Any]) -> Any:
            return as_function(cond_jaxpr)(*map(value_of, asked), *map(value_of, carry))[0]

        def body(carry: Sequence[Any]) -> list[Any]:
            new = promote(context.form, context(body_jaxpr, [*consts, *carry]), types)
            # Under vmap the condition has one entry for each example, and those that have ended must stay as they are.
            if cond_jaxpr.out_avals[0].ndim == 0:
                return new
            examples = goes_on(carry)
            return [_where(examples, *pair) for pair in zip(new, carry, strict=True)]

        return lax.while_loop(lambda carry: jnp.any(goes_on(carry)), body, promote(context.form, init, types))

    return rule


def _where(examples: Any, new: Any, old: Any) -> Any:
    """The new carry for the examples that go on, the old one for the others; examples are the first axes of values."""

    def choose(new: Any, old: Any, front: int = 0) -> Any:
        after = jnp.ndim(new) - front - jnp.ndim(examples)
        return jnp.where(examples.reshape(*[1] * front, *examples.shape, *[1] * after), new, old)

    if not depends_on_x(new):
        return choose(new, old)
    parts = ((new.tangents, old.tangents), (new.applied, old.applied))
    in_front = [jax.tree.map(lambda a, b: choose(a, b, front=1), *pair) for pair in parts]
    return SlotTriple(choose(new.value, old.value), *in_front)


def cond_rule(primitive: Primitive) -> Rule:
    """Branches on triples; a result is a triple in all branches if it is one in any of them."""

    def rule(context: SlotContext, index: Any, *operands: Any, branches: Any, **params: Any) -> Any:
        def find() -> list[CarryType]:
            shapes = [jax.eval_shape(lambda b=b: context.unlogged()(b, operands)) for b in branches]
            return reduce(join, ([type_of(out) for out in of_branch] for of_branch in shapes))

        types = remembered(context, branches, operands, find)
        functions = [lambda *inner, b=b: promote(context.form, context(b, inner), types) for b in branches]
        return lax.switch(index, functions, *operands)

    return rule


SCAN = InnerPrograms(lambda params: [params["jaxpr"]], lambda params: params["length"])
WHILE = InnerPrograms(lambda params: [params["body_jaxpr"]], lambda params: TURNS)
register_named("scan", "loop", scan_rule, takes_slots=True, inner=SCAN)
register_named("while", "loop", while_rule, takes_slots=True, inner=WHILE)
register_named(
    "cond", "loop", cond_rule, takes_slots=True, inner=InnerPrograms(lambda params: params["branches"], is_choice=True)
)

"""Loops and branches on jets: a carry has the same columns in every turn, which are found before the loop is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
from jax import lax

from dof.jax_compat import as_function, scan_counts, vary_like
from dof.jets.jet import Jet, numbers_of, values_of, with_columns


@runtime_checkable
class LoopContext(Protocol):
    """What loops need of the interpreter."""

    @property
    def memory(self) -> dict[Any, Any]:
        """The columns of carries that were found in this propagation, for programs that are met again."""
        ...

    def __call__(self, jaxpr: Any, operands: Sequence[Any]) -> list[Any]:
        """Propagate the operands through an inner program."""
        ...

    def unlogged(self) -> Any:
        """The same context, which leaves no trace in the log of `dof.explain`."""
        ...


Numbers = list[tuple[int, ...]]
"""The columns of several values."""


def promoted(operands: Sequence[Any], numbers: Numbers) -> list[Any]:
    """The operands with zeros written out for columns that they lack."""
    return [_promoted(operand, n) for operand, n in zip(operands, numbers, strict=True)]


def _promoted(operand: Any, numbers: tuple[int, ...]) -> Any:
    found = with_columns(operand, numbers)
    # Inside shard_map, the columns must vary over the same devices in every turn.
    return Jet(found.value, vary_like(found.parts, found.value), numbers) if isinstance(found, Jet) else found


def _joined(one: Numbers, other: Numbers) -> Numbers:
    return [tuple(sorted({*a, *b})) for a, b in zip(one, other, strict=True)]


def _stable(after: Callable[[list[Any]], Numbers], carry: Sequence[Any]) -> Numbers:
    """The columns of a carry that one more turn does not add to; they only grow, so that this ends."""
    numbers = list(map(numbers_of, carry))
    while (joined := _joined(numbers, after(promoted(carry, numbers)))) != numbers:
        numbers = joined
    return numbers


def _remembered(
    context: LoopContext, programs: Sequence[Any], operands: Sequence[Any], find: Callable[[], Numbers]
) -> Numbers:
    """What `find` finds for these programs and operands, computed once in a propagation.

    Without this, the columns of an inner loop would be found again in each round of every loop around it.
    """
    # Programs of JAX are equal only if they are identical.
    key = (*map(id, programs), *map(numbers_of, operands))
    if key not in context.memory:
        context.memory[key] = (programs, find())  # with the programs, so that their identity stays theirs
    return context.memory[key][1]


def scan(context: LoopContext, operands: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """A scan, whose carry has the same columns in every turn."""
    n_consts, n_carry = scan_counts(params)
    consts, init, xs = operands[:n_consts], operands[n_consts : n_consts + n_carry], operands[n_consts + n_carry :]
    slices, length = [_with_axes_swapped(x) for x in xs], params["length"]

    def after(carry: list[Any]) -> Numbers:
        found: Numbers = []

        def probe(carry: Any, x: Any) -> Any:
            found[:] = map(numbers_of, context.unlogged()(params["jaxpr"], [*consts, *carry, *x])[:n_carry])
            return carry, None

        # By way of a scan, which hands the body one slice of each operand, as the loop itself will.
        jax.eval_shape(lambda: lax.scan(probe, carry, slices, length=length))
        return found

    numbers = _remembered(context, [params["jaxpr"]], operands, lambda: _stable(after, init))

    def body(carry: Any, x: Any) -> Any:
        out = context(params["jaxpr"], [*consts, *carry, *x])
        return promoted(out[:n_carry], numbers), list(out[n_carry:])

    how = {name: params[name] for name in ("reverse", "unroll")}
    carry, ys = lax.scan(body, promoted(init, numbers), slices, length=length, **how)
    return [*carry, *map(_with_axes_swapped, ys)]


def _with_axes_swapped(x: Any) -> Any:
    """An operand that is scanned over, with the axis of the scan in front of the columns; for results, behind them."""
    return Jet(x.value, jnp.swapaxes(x.parts, 0, 1), x.columns) if isinstance(x, Jet) else x


def while_loop(context: LoopContext, operands: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """A while loop; values alone decide whether it goes on, under vmap for each example by itself."""
    n_cond, n_body = params["cond_nconsts"], params["body_nconsts"]
    asked, consts, init = operands[:n_cond], operands[n_cond : n_cond + n_body], operands[n_cond + n_body :]
    cond, body_program = params["cond_jaxpr"], params["body_jaxpr"]

    def after(carry: list[Any]) -> Numbers:
        return list(map(numbers_of, jax.eval_shape(lambda: context.unlogged()(body_program, [*consts, *carry]))))

    numbers = _remembered(context, [body_program], operands, lambda: _stable(after, init))

    def goes_on(carry: Any) -> Any:
        return as_function(cond)(*values_of(asked), *values_of(carry))[0]

    def body(carry: Any) -> Any:
        new = promoted(context(body_program, [*consts, *carry]), numbers)
        # Under vmap the condition has one entry for each example, and those that have ended must stay as they are.
        if cond.out_avals[0].ndim == 0:
            return new
        return [_where(goes_on(carry), *pair) for pair in zip(new, carry, strict=True)]

    return lax.while_loop(lambda carry: jnp.any(goes_on(carry)), body, promoted(init, numbers))


def _where(examples: Any, new: Any, old: Any) -> Any:
    """The new carry for the examples that go on, the old one for the others; examples are the first axes of values."""

    def choose(new: Any, old: Any, front: int = 0) -> Any:
        after = jnp.ndim(new) - front - jnp.ndim(examples)
        return jnp.where(examples.reshape(*[1] * front, *examples.shape, *[1] * after), new, old)

    if not isinstance(new, Jet):
        return choose(new, old)
    return Jet(choose(new.value, old.value), choose(new.parts, old.parts, front=1), new.columns)


def branches(context: LoopContext, operands: Sequence[Any], params: dict[str, Any]) -> list[Any]:
    """One of several programs; a result has the columns that it has in any of them."""
    index, *inputs = operands
    programs = params["branches"]

    def find() -> Numbers:
        results = [jax.eval_shape(lambda p=program: context.unlogged()(p, inputs)) for program in programs]
        return reduce(_joined, ([numbers_of(out) for out in of_branch] for of_branch in results))

    numbers = _remembered(context, programs, operands, find)
    functions = [lambda *inner, p=program: promoted(context(p, inner), numbers) for program in programs]
    return lax.switch(index, functions, *inputs)

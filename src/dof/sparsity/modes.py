"""The modes of sparsity: ways to apply a rule, which knows nothing of slots, to triples that have them.

A rule works on stacks: plain arrays with one axis of directions in front. The mode decides what stands on that axis:

    framed       the directions that occur in any operand, the same for all elements
    per_element  for each element its own directions; for operations that do not mix elements
    flowing      for each element its own directions, after those along the axes that the operation mixes were joined
    scattered    nothing: the tangents of the result are summed direction by direction, the rule does value and applied

`per_element` and `flowing` return None where directions of their own do not pay; `framed` always applies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, SupportsIndex

import jax.numpy as jnp
import numpy as np

from dof.sparsity.slot_flow import SlotFlow
from dof.triples.quadratic_form import NO_PAIRS, DisjointPairs, QuadraticForm
from dof.triples.rule_context import Rule, SlotContext
from dof.triples.slot_form import AnyForm, SlotForm
from dof.triples.slot_tangents import SlotTangents, embed
from dof.triples.slots import Slots, collapse, compressed, merge
from dof.triples.slots_to_stacks import frame_of, in_frame, out_of_frame, to_slots, to_stack
from dof.triples.stack_arithmetic import broadcast_stack
from dof.triples.triple import SlotTriple, Triple, applied_of, depends_on_x, has_tangents, value_of

Params = dict[str, Any]


@dataclass(frozen=True)
class StackContext:
    """The context of a rule on stacks.

    Attributes:
        form: the quadratic form of the directions on the leading axis.
        slot_context: from a form to the interpreter, which propagates slot triples through inner programs.
    """

    form: AnyForm
    slot_context: Callable[[AnyForm], SlotContext]

    def with_form(self, form: AnyForm) -> StackContext:
        """The same context for another form of the directions."""
        return StackContext(form, self.slot_context)

    def __call__(self, jaxpr: Any, operands: Sequence[Any]) -> list[Any]:
        """Propagate stacks through an inner program."""
        return self._with_slots(lambda context, inner: context(jaxpr, inner), operands)

    def through(self, function: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        """Propagate stacks through a function of arrays that returns a list of arrays."""
        return self._with_slots(lambda context, inner: context.through(function, inner), operands)

    def _with_slots(self, propagate: Callable[..., Any], operands: Sequence[Any]) -> list[Any]:
        # Inside, all directions of the stack are there for all elements; the interpreter may find structure again.
        frame = np.arange(self.form.directions)
        results = propagate(self.slot_context(self.form), [out_of_frame(o, frame) for o in operands])
        return [in_frame(result, frame) for result in results]


def framed(context: SlotContext, rule: Rule, operands: Sequence[Any], params: Params) -> list[Any]:
    """The results of a rule on stacks along the frame of its operands: all directions that occur in any of them."""
    frame = frame_of(operands)
    form = context.form.within(frame, disjoint_pairs(context.form, operands))
    results = rule(StackContext(form, context.with_form), *(in_frame(o, frame) for o in operands), **params)
    return [out_of_frame(result, frame) for result in results]


def per_element(
    context: SlotContext, rule: Rule, operands: Sequence[Any], params: Params, shape: tuple[int, ...]
) -> list[Any] | None:
    """The results, of shape `shape`, of an elementwise rule, with each element's own directions on the leading axis."""
    common = merge([_lifted(o.tangents.slots, len(shape)) for o in operands if has_tangents(o)])
    if not context.keeps(common, len(common.directions)):
        return None
    form = SlotForm(context.form, common.index, disjoint_pairs(context.form, operands))
    # In the full shape: one element of an operand that broadcasts has other slots at every place that it goes to.
    stacks = [to_stack(_with_shape(operand, shape), common) for operand in operands]
    results = rule(StackContext(form, context.with_form), *stacks, **params)
    return [to_slots(result, common) for result in results]


def flowing(
    context: SlotContext, rule: Rule, operands: Sequence[Any], params: Params, flow: SlotFlow
) -> list[Any] | None:
    """The results of a linear rule, with each element's own directions, joined along the axes that it mixes."""
    mixed = [_after_mixing(o, flow.mixes(params, n)) for n, o in enumerate(operands)]
    directions = len(frame_of(operands))
    if not all(context.keeps(slots, directions) for slots in mixed if slots is not None):
        return None
    # `vmap` takes the leading axes of all operands together (as in `concatenate`), so they must have one length.
    count = max(len(slots) for slots in mixed if slots is not None)
    indices = flow.moves(params, list(map(_index, mixed, operands)), [np.shape(value_of(o)) for o in operands])
    stacks = [_padded_stack(*pair, count) for pair in zip(operands, mixed, strict=True)]
    unused = QuadraticForm(np.zeros((context.form.channels, count)))  # a linear rule does not sum over directions
    results = rule(StackContext(unused, context.with_form), *stacks, **params)
    return [to_slots(result, compressed(index)) for result, index in zip(results, indices, strict=True)]


def scattered(
    context: SlotContext, rule: Rule, operands: Sequence[Any], params: Params, tangents: SlotTangents
) -> list[Any]:
    """The result of a linear rule for value and applied, with tangents that `scatter_sum` found."""
    # Without tangents, the rule pushes value and applied only.
    stacks = [Triple.or_constant(o.value, None, o.applied) if depends_on_x(o) else o for o in operands]
    (result,) = rule(StackContext(context.form, context.with_form), *stacks, **params)
    return [SlotTriple(value_of(result), tangents, applied_of(result))]


def disjoint_pairs(form: QuadraticForm, operands: Sequence[Any]) -> DisjointPairs:
    """Pairs of operands without a common direction; none if there are couplings, which may join any two directions."""
    if form.couplings:
        return NO_PAIRS
    found = {n: o.tangents.slots.directions for n, o in enumerate(operands) if has_tangents(o)}
    return frozenset((i, j) for i, j in combinations(found, 2) if not np.intersect1d(found[i], found[j]).size)


def _after_mixing(operand: Any, axes: Sequence[SupportsIndex]) -> Slots | None:
    return collapse(operand.tangents.slots, axes) if has_tangents(operand) else None


def _index(slots: Slots | None, operand: Any) -> np.ndarray:
    """The index of slots; for an operand without tangents one of zero slots."""
    return np.zeros((0, *[1] * jnp.ndim(value_of(operand))), int) if slots is None else slots.index


def _padded_stack(operand: Any, slots: Slots | None, count: int) -> Any:
    """A stack in the order of `slots`, with zeros added up to `count`."""
    if slots is None:
        return Triple(operand.value, None, operand.applied) if depends_on_x(operand) else operand
    data = embed(operand.tangents, slots)
    missing = count - len(data)
    padded = jnp.pad(data, ((0, missing), *[(0, 0)] * (data.ndim - 1))) if missing else data
    return Triple(operand.value, padded, operand.applied)


def _lifted(slots: Slots, ndim: int) -> Slots:
    """The slots of an operand that broadcasts against others with `ndim` axes."""
    index = slots.index
    return Slots(index.reshape(len(index), *[1] * (ndim + 1 - index.ndim), *index.shape[1:]))


def _with_shape(operand: Any, shape: tuple[int, ...]) -> Any:
    """An operand that broadcasts against others, in the full shape."""
    if not depends_on_x(operand) or jnp.shape(operand.value) == shape:
        return operand
    value = jnp.broadcast_to(operand.value, shape)
    applied = broadcast_stack(operand.applied, value)
    if not has_tangents(operand):
        return SlotTriple(value, None, applied)
    data, slots = broadcast_stack(operand.tangents.data, value), _lifted(operand.tangents.slots, len(shape))
    return SlotTriple(value, SlotTangents(data, slots), applied)

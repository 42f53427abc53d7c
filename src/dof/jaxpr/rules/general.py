"""The general rule: any F that JAX can differentiate twice, by one nested jvp along each direction.

    g'_k = F'(v)[g_k],    s' = F'(v)[s] + Σ_kl q_kl F''(v)[g_k, g_l]

With a diagonal form q the second derivative is needed along each direction only, never a Hessian. With a full form
(coefficients known at run time) F''[g_k, h_k] is taken for h_k = Σ_l q_kl g_l, one channel after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from dof.jax_compat import Primitive
from dof.jaxpr.first_order_rules import (
    Function,
    active_among,
    each_direction,
    function_of,
    parts_of,
    push_jvp,
    restrict,
)
from dof.jaxpr.registry import register_named
from dof.triples.rule_context import Rule
from dof.triples.slot_form import AnyForm
from dof.triples.stack_arithmetic import settled, zeros_stacked
from dof.triples.triple import Triple, is_smooth, value_of, varying_operands


def general(form: AnyForm, function: Function, operands: Sequence[Any]) -> list[Any]:
    """The triples of `function`, a function of arrays that returns a list of arrays."""
    values = function(*map(value_of, operands))
    tangents, applied = parts_of(operands)
    smooth = [i for i, value in enumerate(values) if is_smooth(value)]
    if not smooth or not active_among(tangents):
        pushed = push_jvp(function, operands, applied, values)
        return [Triple.or_constant(value, None, part) for value, part in zip(values, pushed, strict=True)]
    found = iter(zip(*_both_orders(form, function, operands, smooth), strict=True))
    parts = [next(found) if i in smooth else (None, None) for i in range(len(values))]
    return [Triple.or_constant(value, *part) for value, part in zip(values, parts, strict=True)]


def _both_orders(
    form: AnyForm, function: Function, operands: Sequence[Any], smooth: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """(tangents, applied) of the smooth results.

    What is applied to the operands, s, is appended as an extra direction with first tangent 0 and second tangent s, so
    that one nested jvp returns F'[g], F''[g, g] and F'[s]. Several passes would each solve their own linear systems of
    the same matrix, and on CPUs with few cores JAX's batched solvers can wait for each other without end if they run
    side by side.
    """
    active = varying_operands(operands)
    of_active, primals = restrict(function, operands, active, smooth)
    g, s = ([part[i] for i in active] for part in parts_of(operands))
    g = [zeros_stacked(form.directions, v) if part is None else part for part, v in zip(g, primals, strict=True)]
    along = partial(_along_directions, of_active, primals, g)
    tangents, curvature, pushed = _by_channel(form, g, s, along) if form.couplings else _diagonal(form, g, s, along)
    applied = curvature if pushed is None else list(map(jnp.add, curvature, pushed))
    return tangents, list(map(settled, applied))


def _along_directions(f: Function, primals: Sequence[Any], g: list[Any], h: list[Any], s: list[Any]) -> Any:
    """F'[g_k] and F''[g_k, h_k] for all directions k, and F'[s_c] for all channels c that s has, or None."""
    directions, channels = len(g[0]), max((len(part) for part in s if part is not None), default=0)
    no_move = [zeros_stacked(channels, v) for v in primals]
    filled = [rest if part is None else part for rest, part in zip(no_move, s, strict=True)]
    no_second = [zeros_stacked(directions, v) for v in primals]
    stacks = [_joined(g, no_move), _joined(h, no_move), _joined(no_second, filled)]
    first, second = each_direction(lambda *stack: _nested_jvp(f, primals, *stack), *stacks)
    pushed = [part[directions:] for part in second] if channels else None
    return [part[:directions] for part in first], [part[:directions] for part in second], pushed


def _nested_jvp(f: Function, primals: Any, along: Any, again: Any, second: Any) -> Any:
    """(F'[along], F''[along, again] + F'[second])."""
    return jax.jvp(lambda v, g: jax.jvp(f, v, g)[1], (primals, tuple(along)), (tuple(again), tuple(second)))


def _diagonal(form: AnyForm, g: list[Any], s: list[Any], along: Any) -> Any:
    """Directions that are each summed with themselves: one pass for all channels."""
    tangents, seconds, pushed = along(g, s)
    return tangents, [form.weighted_sum(second) for second in seconds], pushed


def _by_channel(form: AnyForm, g: list[Any], s: list[Any], along: Any) -> Any:
    """Directions that are coupled: a pass for each channel, with second directions h_k = Σ_l q_kl g_l of its own."""
    weighted = [form.weigh(part) for part in g]
    passes = [
        along([w[c] for w in weighted], [None if part is None else part[c : c + 1] for part in s])
        for c in range(form.channels)
    ]
    tangents, _, pushed = passes[0]
    by_result = zip(*(seconds for _, seconds, _ in passes), strict=True)
    curvature = [jnp.stack([jnp.sum(h, axis=0) for h in channels]) for channels in by_result]
    if pushed is not None:
        pushed = [jnp.concatenate(channels) for channels in zip(*(p for _, _, p in passes), strict=True)]
    return tangents, curvature, pushed


def _joined(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    return [jnp.concatenate([a, b]) if len(b) else a for a, b in zip(first, second, strict=True)]


def general_rule(primitive: Primitive) -> Rule:
    """The general rule of a primitive."""
    return lambda context, *operands, **params: general(context.form, function_of(primitive, params), operands)


ON_PURPOSE = """
    cholesky lu qr eigh eig svd schur hessenberg householder_product tridiagonal tridiagonal_solve
    linear_call ragged_dot_general random_gamma reduce reduce_window scatter-mul
    eval_jaxpr run_state call_hi_primitive remat_opt stage tie to_edtype from_edtype polynomial

    pmax pmin ragged_all_to_all all_gather_reduced preduced unreduced_psum unreduced_reduce_scatter pbroadcast_dynamic
    reduced_vary_cast reduced_vary_cast_p vary_unreduced_cast vary_unreduced_cast_p relayout
    with_memory_space_constraint host_local_array_to_global_array global_array_to_host_local_array

    pure_callback io_callback ffi_call

    new_ref empty_ref free_ref freeze get swap addupdate accum_grad_in_ref new_box box_get box_set new_log log_read
    log_extend
"""
"""In turn: exact this way, and no rule of their own would be cheaper by much; rare; without a derivative, as JAX then
says; mutable references: the interpreter takes a program that has them as a whole, so that none gets here alone."""

register_named(ON_PURPOSE, "general", general_rule)

"""The general law: any F that JAX can differentiate twice, by one nested jvp along each direction.

    g'_k = F'(v)[g_k],    s' = F'(v)[s] + Σ_kl q_kl F''(v)[g_k, g_l]

With a diagonal form q the second derivative is needed along each direction only, never a Hessian. With a full form
(coefficients known at run time) F''[g_k, h_k] is taken for h_k = Σ_l q_kl g_l, one channel after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from dof.jax_compat import Primitive
from dof.jaxpr.nested_jvp import Function, active_among, each_direction, function_of, parts_of, push_jvp, restrict
from dof.jaxpr.registry import Rule, register_named
from dof.triples.quadratic_form import AnyForm, settled
from dof.triples.triple import Triple, is_smooth, triple_or_constant, value_of, zeros_stacked


def general(form: AnyForm, function: Function, operands: Sequence[Any]) -> list[Any]:
    """The triples of `function`, a function of arrays that returns a list of arrays."""
    values = function(*map(value_of, operands))
    tangents, applied = parts_of(operands)
    smooth = [i for i, value in enumerate(values) if is_smooth(value)]
    if not smooth or not active_among(tangents):
        return list(
            map(triple_or_constant, values, [None] * len(values), push_jvp(function, operands, applied, values))
        )
    found = iter(zip(*_both_orders(form, function, operands, smooth), strict=True))
    parts = [next(found) if i in smooth else (None, None) for i in range(len(values))]
    return [triple_or_constant(value, *part) for value, part in zip(values, parts, strict=True)]


def _both_orders(
    form: AnyForm, function: Function, operands: Sequence[Any], smooth: Sequence[int]
) -> tuple[list[Any], list[Any]]:
    """(tangents, applied) of the smooth results.

    What is applied to the operands is one more direction, that bends instead of moving: F'(v)[s] comes out with the
    second derivatives. One pass then does it all. Several would each solve their own systems, of the same matrix, and
    on CPUs with few cores JAX's batched solvers can wait for each other without end if they run side by side.
    """
    active = [i for i, operand in enumerate(operands) if isinstance(operand, Triple)]
    of_active, primals = restrict(function, operands, active, smooth)
    moves, bends = ([part[i] for i in active] for part in parts_of(operands))
    moves = [zeros_stacked(form.directions, v) if g is None else g for g, v in zip(moves, primals, strict=True)]

    def along_each(again: list[Any], bends: list[Any]) -> Any:
        """(F'[g_k], F''[g_k, h_k]) for all directions k, and F'[s] for what bends."""
        count = 0 if all(bend is None for bend in bends) else max(len(b) for b in bends if b is not None)
        still = [zeros_stacked(count, v) for v in primals]
        bent = [rest if b is None else b for rest, b in zip(still, bends, strict=True)]
        straight = [zeros_stacked(form.directions, v) for v in primals]
        stacks = [_joined(moves, still), _joined(again, still), _joined(straight, bent)]
        first, second = each_direction(lambda *stack: _nested(of_active, primals, *stack), *stacks)
        r = form.directions
        return [g[:r] for g in first], [h[:r] for h in second], [h[r:] for h in second] if count else None

    if not form.couplings:
        tangents, seconds, pushed = along_each(moves, bends)
        summed = [form.weighted_sum(second) for second in seconds]
    else:
        tangents, summed, pushed = _channel_by_channel(form, moves, bends, along_each)
    applied = summed if pushed is None else list(map(jnp.add, summed, pushed))
    return tangents, list(map(settled, applied))


def _nested(f: Function, primals: Any, along: Any, again: Any, bend: Any) -> Any:
    """(F'[along], F''[along, again] + F'[bend])"""
    return jax.jvp(lambda v, g: jax.jvp(f, v, g)[1], (primals, tuple(along)), (tuple(again), tuple(bend)))


def _channel_by_channel(form: AnyForm, moves: list[Any], bends: list[Any], along_each: Any) -> Any:
    """Where directions are coupled, each channel has second directions h_k = Σ_l q_kl g_l of its own."""
    weighted = [form.weigh(g) for g in moves]
    channels = [
        along_each([w[c] for w in weighted], [None if b is None else b[c : c + 1] for b in bends])
        for c in range(form.channels)
    ]
    tangents, _, pushed = channels[0]
    seconds = [
        jnp.stack([jnp.sum(h, axis=0) for h in of_result])
        for of_result in zip(*(s for _, s, _ in channels), strict=True)
    ]
    if pushed is not None:
        pushed = [jnp.concatenate(of_result) for of_result in zip(*(p for _, _, p in channels), strict=True)]
    return tangents, seconds, pushed


def _joined(first: list[Any], second: list[Any]) -> list[Any]:
    return [jnp.concatenate([a, b]) if len(b) else a for a, b in zip(first, second, strict=True)]


def general_rule(primitive: Primitive) -> Rule:
    return lambda walk, *operands, **params: general(walk.form, function_of(primitive, params), operands)


ON_PURPOSE = """
    cholesky lu qr eigh eig svd schur hessenberg householder_product tridiagonal tridiagonal_solve triangular_solve
    custom_linear_solve linear_call ragged_dot_general random_gamma reduce reduce_window scatter-mul
    eval_jaxpr run_state call_hi_primitive remat_opt stage tie to_edtype from_edtype polynomial

    pmax pmin ragged_all_to_all all_gather_reduced preduced unreduced_psum unreduced_reduce_scatter pbroadcast_dynamic
    reduced_vary_cast reduced_vary_cast_p vary_unreduced_cast vary_unreduced_cast_p relayout
    with_memory_space_constraint host_local_array_to_global_array global_array_to_host_local_array

    pure_callback io_callback ffi_call

    new_ref empty_ref free_ref freeze get swap addupdate accum_grad_in_ref new_box box_get box_set new_log log_read
    log_extend
"""
"""In turn: exact this way, and no law of their own would be cheaper by much; rare; without a derivative, as JAX then
says; mutable references, of which the walk hands whole programs to the general law, so that none gets here alone."""

register_named(ON_PURPOSE, "general", general_rule)

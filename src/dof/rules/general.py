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

from dof.form import AnyForm
from dof.jax_compat import Primitive
from dof.rules.push import Function, active_among, each_direction, function_of, parts_of, push_jvp, restrict
from dof.rules.registry import Rule, register_named
from dof.triple import add, is_smooth, triple_or_constant, value_of


def general(form: AnyForm, function: Function, operands: Sequence[Any]) -> list[Any]:
    """The triples of `function`, a function of arrays that returns a list of arrays."""
    values = function(*map(value_of, operands))
    tangents, applied = (push_jvp(function, operands, part, values) for part in parts_of(operands))
    curvature = second_order(form, function, operands, values)
    return list(map(triple_or_constant, values, tangents, map(add, applied, curvature)))


def second_order(form: AnyForm, function: Function, operands: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Σ_kl q_kl F''(v)[g_k, g_l] for each result, one entry per channel in front."""
    tangents, _ = parts_of(operands)
    active = active_among(tangents)
    smooth = [i for i, value in enumerate(values) if is_smooth(value)]
    if not active or not smooth:
        return [None] * len(values)
    of_active, primals = restrict(function, operands, active, smooth)
    moved = [tangents[i] for i in active]

    def second_derivative(along: Any, again: Any) -> list[Any]:
        return jax.jvp(lambda *v: jax.jvp(of_active, v, tuple(along))[1], primals, tuple(again))[1]

    summed = iter(_sum_over_directions(form, second_derivative, moved))
    return [next(summed) if i in smooth else None for i in range(len(values))]


def _sum_over_directions(form: AnyForm, second_derivative: Any, moved: list[Any]) -> list[Any]:
    if not form.couplings:
        seconds = each_direction(second_derivative, moved, moved)
        return [form.weighted_sum(second) for second in seconds]
    weighted = [form.weigh(g) for g in moved]
    channels = [each_direction(second_derivative, moved, [w[c] for w in weighted]) for c in range(form.channels)]
    return [jnp.stack([jnp.sum(second, axis=0) for second in results]) for results in zip(*channels, strict=True)]


def general_rule(primitive: Primitive) -> Rule:
    return lambda walk, *operands, **params: general(walk.form, function_of(primitive, params), operands)


ON_PURPOSE = """
    cholesky lu qr eigh eig svd schur hessenberg householder_product tridiagonal tridiagonal_solve triangular_solve
    custom_linear_solve linear_call custom_vmap_call ragged_dot_general random_gamma reduce reduce_window scatter-mul
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

"""Linear systems A x = b: `solve`, `inv`, iterative solvers, triangular matrices. The rule solves with A only.

    g_x = A⁻¹ (g_b − G x),     s_x = A⁻¹ (s_b − S x − 2 Σ_kl q_kl G_k g_xl)

Both right-hand sides come from propagating triples through the product A x: first with a constant x, then with the
tangents of x that are known by then. So A may depend on x in any way, and rows of A that depend on few directions keep
their slots. Against the general rule, which differentiates the solution twice along each direction, this solves once
along each direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from dof.jax_compat import Primitive, as_function, bind, linear_solve_operands
from dof.jaxpr.first_order_rules import Function, each_direction, function_of
from dof.jaxpr.registry import register_named
from dof.jaxpr.rules.general import general
from dof.none_as_zero import add
from dof.sparsity.modes import framed
from dof.triples.rule_context import Rule, SlotContext
from dof.triples.slots_to_stacks import frame_of, in_frame, out_of_frame
from dof.triples.stack_arithmetic import zeros_stacked
from dof.triples.triple import SlotTriple, Triple, applied_of, depends_on_x, tangents_of, value_of


def solution(
    context: SlotContext, product: Function, solve: Function, matrix: Sequence[Any], b: Sequence[Any]
) -> list[Any]:
    """The triples of x with A x = b, where x and b are lists of arrays.

    Args:
        context: the interpreter.
        product: (operands that A is made of, x) ↦ A x.
        solve: b ↦ A⁻¹ b at the values of A.
        matrix: the operands that A is made of.
        b: the right-hand side.
    """
    x = solve(*map(value_of, b))
    varies = any(map(depends_on_x, matrix))
    of_matrix = context.through(product, [*matrix, *x]) if varies else x
    frame = frame_of([*b, *filter(depends_on_x, of_matrix)])
    stacks = [[in_frame(entry, frame) for entry in entries] for entries in (b, of_matrix)]
    tangents = _solved(solve, x, *([tangents_of(entry) for entry in entries] for entries in stacks))
    moved = [out_of_frame(Triple.or_constant(v, g, None), frame) for v, g in zip(x, tangents, strict=True)]
    if varies:
        of_matrix = context.through(product, [*matrix, *moved])
    applied = _solved(solve, x, *([applied_of(entry) for entry in entries] for entries in (b, of_matrix)))
    return [SlotTriple.or_constant(v, tangents_of(m), s) for v, m, s in zip(x, moved, applied, strict=True)]


def _solved(solve: Function, x: Sequence[Any], of_b: Sequence[Any], of_product: Sequence[Any]) -> Sequence[Any]:
    """A⁻¹ (of_b − of_product) for stacked derivatives; None stands for zero."""
    rest = [add(b, None if p is None else -p) for b, p in zip(of_b, of_product, strict=True)]
    count = max((len(part) for part in rest if part is not None), default=0)
    if not count:
        return [None] * len(x)
    return each_direction(solve, *(zeros_stacked(count, v) if r is None else r for v, r in zip(x, rest, strict=True)))


class LinearSystem(NamedTuple):
    """A x = b, as a primitive that solves it says.

    Attributes:
        product: (operands that A is made of, x) ↦ A x.
        solve: b ↦ A⁻¹ b at the values of A.
        matrix: the operands that A is made of.
        b: the right-hand side.
    """

    product: Function
    solve: Function
    matrix: Sequence[Any]
    b: Sequence[Any]


def linear_system(primitive: Primitive, params: dict[str, Any], operands: Sequence[Any]) -> LinearSystem | None:
    """The system that a `custom_linear_solve` or a `triangular_solve` solves; None if it does not say what A x is."""
    if primitive.name == "triangular_solve":
        a, b = operands
        product = lambda a, x: [triangular_product(a, x, **params)]  # noqa: E731
        return LinearSystem(product, lambda b: bind(primitive, [value_of(a), b], params), [a], [b])
    found = linear_solve_operands(params, operands)
    if found is None:
        return None
    matvec, matrix, rest, b = found
    fixed = [value_of(operand) for operand in (*matrix, *rest)]
    # The primitive itself solves, not the program inside of it: it can be differentiated again.
    return LinearSystem(as_function(matvec), lambda *b: bind(primitive, [*fixed, *b], params), matrix, b)


def linear_solve_rule(primitive: Primitive) -> Rule:
    """`lax.custom_linear_solve`, which `solve`, `inv` and iterative solvers are made of, and `triangular_solve`."""

    def rule(context: SlotContext, *operands: Any, **params: Any) -> list[Any]:
        system = linear_system(primitive, params, operands)
        if system is not None:
            return solution(context, *system)
        function = function_of(primitive, params)
        return framed(context, lambda stacks, *inner: general(stacks.form, function, inner), operands, {})

    return rule


def triangular_product(
    a: Any, x: Any, *, left_side: bool, lower: bool, transpose_a: bool, conjugate_a: bool, unit_diagonal: bool
) -> Any:
    """The product that `triangular_solve` with these parameters inverts."""
    triangle = jnp.tril(a, -unit_diagonal) if lower else jnp.triu(a, unit_diagonal)
    triangle = triangle + jnp.eye(a.shape[-1], dtype=a.dtype) if unit_diagonal else triangle
    turned = jnp.swapaxes(triangle, -1, -2) if transpose_a else triangle
    matrix = turned.conj() if conjugate_a else turned
    precision = jax.lax.Precision.HIGHEST
    return jnp.matmul(matrix, x, precision=precision) if left_side else jnp.matmul(x, matrix, precision=precision)


register_named("custom_linear_solve triangular_solve", "linear solve", linear_solve_rule, takes_slots=True)

"""log det M: the second-order polynomial that agrees with it at M takes its place.

With M = M₀ + dM and E = dM M₀⁻¹, log det M = log det M₀ + tr E − ½ tr E² + O(E³), so that

    g' = tr(G M₀⁻¹),     s' = tr(S M₀⁻¹) − Σ_kl q_kl tr(G_k M₀⁻¹ G_l M₀⁻¹)

`slogdet` returns the sign and log |det M|. For real M the sign is constant. For complex M, log |det M| is the real
part, and the sign is the phase exp(i θ), where θ is the imaginary part.

Triples are propagated through the polynomial as through any other function. So rows of M that depend on one particle
each, as those of a Slater determinant do, keep their slots: row i of dM M₀⁻¹ depends on row i of dM only. If
columns have slots of their own instead, E = M₀⁻¹ dM is used.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.jax_compat import Closed, custom_jvp_in, inner_programs, parts
from dof.jaxpr.first_order_rules import Function
from dof.jaxpr.program_signature import signature
from dof.jaxpr.rules.gauss_jordan import slogdet_and_inverse
from dof.none_as_zero import add
from dof.triples.rule_context import SlotContext
from dof.triples.triple import SlotTriple, value_of


def is_slogdet(program: Closed, function: Function, operands: Sequence[Any]) -> bool:
    """Whether a function that brings its own derivative is JAX's `slogdet`.

    It is, if the program of its derivative is that of `slogdet`; its name does not matter.

    Args:
        program: the program of the function itself.
        function: the function, which JAX differentiates by the rule that it brings.
        operands: what it is applied to.
    """
    shape, dtype = np.shape(value_of(operands[0])), jnp.result_type(value_of(operands[0]))
    is_square = len(operands) == 1 and len(shape) > 1 and shape[-1] == shape[-2]
    if not is_square or not jnp.issubdtype(dtype, jnp.inexact):
        return False
    # JAX writes determinants of 2 × 2 matrices out, without a factorization.
    if shape[-1:] != (2,) and not _has_lu(program):
        return False
    matrix = jax.ShapeDtypeStruct(shape, dtype)
    found, integers = _derivative(function, matrix), jnp.result_type(int)
    # One after the other: each takes longer to trace than most of what else there is to a layer.
    return any(found == _slogdet_derivative(matrix, mapped, integers) for mapped in range(len(shape) - 1))


def _has_lu(program: Closed) -> bool:
    """Whether a program factors a matrix. Tracing the derivative of every softmax of square logits would take long."""
    eqns = parts(program)[0].eqns
    return any(eqn.primitive.name == "lu" or any(map(_has_lu, inner_programs(eqn.params))) for eqn in eqns)


@lru_cache(maxsize=256)
def _slogdet_derivative(matrix: jax.ShapeDtypeStruct, mapped: int, _integers: Any) -> Hashable:
    """The derivative of `slogdet` mapped over the first `mapped` axes of stacked matrices; None if JAX has none.

    It depends on whether float64 is enabled, which the dtype of integers tells.
    """
    slogdet = jnp.linalg.slogdet
    for _ in range(mapped):
        slogdet = jax.vmap(slogdet)
    function = custom_jvp_in(jax.make_jaxpr(slogdet)(matrix))
    return _derivative(function, matrix) if function else None


def _derivative(function: Function, matrix: jax.ShapeDtypeStruct) -> Hashable:
    return signature(jax.make_jaxpr(lambda v, g: jax.jvp(function, [v], [g]))(matrix, matrix))


def log_determinant(context: SlotContext, matrix: SlotTriple) -> list[Any]:
    """The sign of the determinant and the logarithm of its modulus; a real sign is constant."""
    # One inverse instead of two solves per direction.
    sign, value, inverted = slogdet_and_inverse(matrix.value)
    by_columns = _only_columns_have_own_slots(matrix)
    product: Callable[..., Any] = lambda m, i: [i @ m if by_columns else m @ i]  # noqa: E731
    (moved,) = context.through(product, [matrix, inverted])
    change = SlotTriple(jnp.zeros_like(matrix.value), moved.tangents, moved.applied)
    first, second = context.through(_trace_and_square, [change])
    log = SlotTriple.or_constant(jnp.zeros_like(first.value), first.tangents, add(first.applied, second.applied))
    return context.through(turned_and_scaled if jnp.iscomplexobj(sign) else scaled, [sign, value, log])


def _trace_and_square(e: Any) -> list[Any]:
    """(tr E, −½ tr E²). Both values are zero at E = 0, and so are the tangents of the second."""
    return [jnp.trace(e, axis1=-2, axis2=-1), jnp.sum(e * jnp.swapaxes(e, -1, -2), axis=(-2, -1)) / -2]


def turned_and_scaled(sign: Any, value: Any, log: Any) -> list[Any]:
    """Sign and log |det| after log det has changed by `log`."""
    return [sign * jnp.exp(1j * log.imag), value + log.real]


def scaled(sign: Any, value: Any, log: Any) -> list[Any]:
    """The same for a real determinant, which does not change its sign unless it is zero."""
    return [sign, value + log]


def _only_columns_have_own_slots(matrix: SlotTriple) -> bool:
    """Whether directions differ from column to column, and not from row to row.

    Where neither do, E = dM M₀⁻¹ it is: XLA copies whole matrices of tangents for it, and single rows for M₀⁻¹ dM.
    """
    if matrix.tangents is None:
        return False
    rows, columns = np.shape(matrix.tangents.slots.index)[-2:]
    return rows == 1 and columns > 1

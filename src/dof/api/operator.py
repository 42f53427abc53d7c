"""`dof.Operator`: a linear differential operator that can be applied to functions."""

from __future__ import annotations

import jax

from dof.api.apply import Applicable
from dof.operators.linear_operator import LinearOperator


@jax.tree_util.register_pytree_node_class
class Operator(Applicable, LinearOperator):
    """A linear differential operator of order two, one or zero.

        (L φ)(x) = Σ_ij a_ij(x) ∂²φ/∂x_i∂x_j + Σ_i b_i(x) ∂φ/∂x_i + c(x) φ(x)

    Each coefficient is absent, a constant, or a function of x. x has N coordinates: those of an array of any shape, or
    of a pytree, in the order of its leaves.

    Constants are best given as NumPy arrays, or made outside of jit: A is then factored once, and its rank is used.
    Derivatives are with respect to the first argument of f, or to `argnums`, as in `jax.grad`; several make x a tuple.

    Operators add, subtract, and are multiplied from the left by numbers and functions of x; operators of first order
    compose with `@`. They are pytrees: their arrays can be traced, differentiated and scanned over.

    Args:
        a: a scalar; (N,) or the shape of x for a diagonal; (N, N), of which the symmetric part counts;
            `dof.BlockDiagonal(blocks)`; or `dof.Factored(L, signs)` for Lᵀ diag(signs) L. Of any sign and any rank.
        b: (N,) or the shape of x.
        c: a scalar.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> L = dof.Operator(a=jnp.array([[1.0, 0.5], [0.5, 2.0]]), b=lambda x: -x, c=3.0)
        >>> print(f"{L(lambda x: x[0] * x[1] ** 2)(jnp.array([1.0, 2.0])):.4f}")
        8.0000
    """


laplacian = Operator(a=1.0)
"""Δ = Σ_i ∂²/∂x_i²: `dof.laplacian(f)(x)`."""

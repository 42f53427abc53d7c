"""`dof.Operator`: a linear differential operator that can be applied to functions."""

from __future__ import annotations

import jax
import numpy as np

from dof.api.apply import Applicable
from dof.errors import ArgumentError, describe, shown
from dof.operators.higher_order import HigherOrder
from dof.operators.linear_operator import LinearOperator


@jax.tree_util.register_pytree_node_class
class Operator(Applicable, LinearOperator):
    """A linear differential operator of order two, one or zero.

        (L φ)(x) = Σ_ij a_ij(x) ∂²φ/∂x_i∂x_j + Σ_i b_i(x) ∂φ/∂x_i + c(x) φ(x)

    Each coefficient is absent, a constant, or a function of x. x has N coordinates: those of an array of any shape, or
    of a pytree, in the order of its leaves.

    Constants are best given as NumPy arrays, or made outside of jit: A is then factored once, and its rank is used.
    Derivatives are with respect to the first argument of f, or to `argnums`, as in `jax.grad`; several make x a tuple.

    Operators add, subtract, and are multiplied from the left by numbers and functions of x; a number or a function g
    that is added stands for φ ↦ g φ. `@` composes them and `**` repeats them, to operators of any order
    (`dof.derivatives`). They are pytrees: their arrays can be traced, differentiated and scanned over.

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

    def product_with(self, other: LinearOperator) -> HigherOrderOperator:
        """The operator φ ↦ L₁(L₂ φ) of an order above two."""
        return HigherOrderOperator(((self, other),))


@jax.tree_util.register_pytree_node_class
class HigherOrderOperator(Applicable, HigherOrder):
    """A linear differential operator of any order, as a sum of products of operators of order two, one or zero.

    It comes from `@`, `**` and sums of operators, and is used as they are.
    """


laplacian = Operator(a=1.0)
"""Δ = Σ_i ∂²/∂x_i²: `dof.laplacian(f)(x)`."""


def derivatives(n: int) -> tuple[Operator, ...]:
    """The n partial derivatives of functions of n coordinates, as operators of order one.

    With `+`, `-`, numbers, functions of x, `@` and `**` they make operators of any order, each of which is applied by
    one propagation: dx**3 + dt carries 4 numbers for each value, dof.laplacian**2 in two dimensions 9.

    Args:
        n: how many coordinates x has.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> dx, dt = dof.derivatives(2)
        >>> L = dt + dx**3
        >>> print(f"{L(lambda z: z[1] * z[0] ** 4)(jnp.array([2.0, 3.0])):.4f}")
        160.0000
        >>> print(f"{(dof.laplacian**2)(lambda x: jnp.sum(x**4))(jnp.ones(2)):.4f}")
        48.0000
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        fix = "dx, dy = dof.derivatives(2)"
        raise ArgumentError(describe("n", f"is {shown(n)}", "a positive integer, the number of coordinates of x", fix))
    return tuple(Operator(b=row) for row in np.eye(n))

"""Forms of A with a class of their own, for the user: Lᵀ diag(±1) L, and square blocks along the diagonal."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe
from dof.jax_compat import concrete
from dof.operators.coefficient_checks import as_array, require_finite


@jax.tree_util.register_pytree_node_class
class Factored:
    """A = Lᵀ diag(signs) L, given by the r rows of L. For A = σ σᵀ pass σ.T.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> wave = dof.Operator(a=dof.Factored(jnp.eye(2), signs=(1, -1)))
        >>> print(wave(lambda x: x[0] ** 2 + 3 * x[1] ** 2)(jnp.ones(2)))
        -4.0
    """

    def __init__(self, L: Any, signs: Any = None) -> None:
        self.L = L = as_array("L", L)
        self.signs = np.ones(np.shape(L)[:1]) if signs is None else as_array("signs", signs) * 1.0
        if np.ndim(L) != 2 or np.shape(self.signs) != np.shape(L)[:1]:
            found = f"has `L` of shape {np.shape(L)} and `signs` of shape {np.shape(self.signs)}"
            raise ArgumentError(
                describe("Factored", found, "L of shape (r, N) and r signs", "dof.Factored(L[None, :], (1,))")
            )
        require_finite("L", L)
        if jnp.iscomplexobj(L):
            raise ArgumentTypeError(describe("L", "is complex", "real directions", "dof.Operator(a=L.T @ L)"))
        known = concrete(self.signs)
        if known is not None and not np.isin(known, (-1, 1)).all():
            found, expected = f"has the entries {np.unique(known).tolist()}", "entries +1 and −1"
            fix = "dof.Factored(jnp.sqrt(abs(w))[:, None] * L, signs=jnp.sign(w)) for weights w without zeros"
            raise ArgumentError(describe("signs", found, expected, fix))

    def __repr__(self) -> str:
        return f"dof.Factored(L of shape {np.shape(self.L)})"

    def tree_flatten(self) -> Any:
        """Children for JAX: the arrays."""
        return (self.L, self.signs), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> Factored:
        """The inverse of `tree_flatten`; children are not checked, because JAX may pass placeholders."""
        new = object.__new__(cls)
        new.L, new.signs = children
        return new


@jax.tree_util.register_pytree_node_class
class BlockDiagonal:
    """A with square blocks along its diagonal: an array (m, b, b), or a sequence of square arrays of any sizes.

    Examples:
        >>> import dof, jax.numpy as jnp
        >>> pairs = dof.Operator(a=dof.BlockDiagonal(jnp.ones((2, 2, 2))))
        >>> print(pairs(lambda x: x[0] * x[1] + x[2] ** 2)(jnp.ones(4)))
        4.0
    """

    def __init__(self, blocks: Any) -> None:
        stacked = hasattr(blocks, "shape")
        self.stacks = [as_array("blocks", blocks)] if stacked else [as_array("blocks", block)[None] for block in blocks]
        for stack in self.stacks:
            if np.ndim(stack) != 3 or np.shape(stack)[1] != np.shape(stack)[2]:
                expected = "square blocks: an array (m, b, b) or a sequence of arrays (b, b)"
                found = f"has a block of shape {np.shape(stack)[1:]}"
                raise ArgumentError(describe("blocks", found, expected, "dof.BlockDiagonal([jnp.eye(2), jnp.eye(3)])"))
            require_finite("blocks", stack)

    def __repr__(self) -> str:
        return f"dof.BlockDiagonal(blocks of shapes {[np.shape(stack) for stack in self.stacks]})"

    def tree_flatten(self) -> Any:
        """Children for JAX: the arrays."""
        return (self.stacks,), None

    @classmethod
    def tree_unflatten(cls, _: Any, children: Any) -> BlockDiagonal:
        """The inverse of `tree_flatten`; children are not checked, because JAX may pass placeholders."""
        new = object.__new__(cls)
        (new.stacks,) = children
        return new

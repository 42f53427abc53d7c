"""Forms of A with a class of their own, for the user: Lᵀ diag(±1) L, and square blocks along the diagonal."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, ArgumentTypeError, describe, shown
from dof.jax_compat import concrete, is_traced


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


def as_array(argument: str, value: Any) -> Any:
    """The value as an array: a NumPy one if it is known, since a JAX array would not stay known under jit."""
    if hasattr(value, "shape"):
        # An array that other processes hold a part of cannot be read here.
        return value if is_traced(value) or not getattr(value, "is_fully_addressable", True) else np.asarray(value)
    try:
        array = jnp.asarray(value) if any(map(is_traced, jax.tree.leaves(value))) else np.asarray(value)
    except (TypeError, ValueError):
        array = None
    if array is None or array.dtype.kind not in "bifc":
        found, fix = f"is {shown(value)}", f"{argument} = jnp.asarray({argument})"
        raise ArgumentTypeError(describe(argument, found, "numbers, or a function of x that returns them", fix))
    return array


def require_finite(argument: str, value: Any) -> None:
    """Refuse NaN and infinity in what is known while tracing."""
    for leaf in jax.tree.leaves(value):
        # A function of x is a leaf as well; what it returns is checked at x, by `LinearOperator.at`.
        known = concrete(leaf) if isinstance(leaf, (int, float, complex, np.ndarray, np.generic, jax.Array)) else None
        if known is not None and not np.isfinite(known).all():
            bad = np.argwhere(~np.isfinite(known))[0].tolist()
            found = f"has the entry {known[tuple(bad)]} at {bad}" if known.ndim else f"is {known}"
            raise ArgumentError(describe(argument, found, "finite numbers", f"{argument} = jnp.nan_to_num({argument})"))

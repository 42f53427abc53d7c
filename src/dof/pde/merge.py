"""Derivatives that enter a residual with known coefficients: the operators that they make up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.jax_compat import Closed, Literal, is_traced, parts
from dof.pde.reads import Read


@dataclass(frozen=True)
class Merge:
    """Σ_k rows[m, k] reads[k] is operator m. Of leaf number l of the residual, element e has the sum over components f
    of operator m of the network, wherever where[l][e, f, m] is 1."""

    reads: tuple[Read, ...]
    rows: np.ndarray
    where: tuple[np.ndarray, ...]

    def contribution(self, leaf: int, shape: tuple[int, ...], applied: Sequence[Any]) -> Any:
        """What the operators add to a leaf of the residual."""
        stacked = jnp.stack([jnp.ravel(part) for part in applied], axis=-1)
        return jnp.einsum("efm,fm->e", jnp.asarray(self.where[leaf], stacked.dtype), stacked).reshape(shape)


def merge_of(affine: Callable[..., Any], reads: Sequence[Read], derivatives: Any, point: Any) -> Merge | None:
    """`affine(derivatives, point)` is the residual as a function of these reads; None if their coefficients depend on
    the point, or on what is not known now."""
    if not reads:
        return None
    jacobian = jax.make_jaxpr(jax.jacfwd(affine))(derivatives, point)
    if _depends(jacobian, len(jax.tree.leaves(derivatives))):
        return None
    with jax.ensure_compile_time_eval():
        zeros = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), derivatives)
        leaves = jax.tree.leaves(jax.jacfwd(affine)(zeros, jnp.zeros(point.shape, point.dtype)))
    count, size = len(reads), int(np.prod(derivatives[0].shape))
    by_leaf = [
        np.stack([np.asarray(a).reshape(-1, size) for a in leaves[l : l + count]], axis=-1)
        for l in range(0, len(leaves), count)
    ]
    rows = np.unique(np.concatenate([array.reshape(-1, count) for array in by_leaf]), axis=0)
    rows = rows[rows.any(axis=1)]
    where = tuple(np.all(array[:, :, None] == rows, axis=-1) for array in by_leaf)
    return Merge(tuple(reads), rows, where) if len(rows) else None


def _depends(jaxpr: Closed, skipped: int) -> bool:
    """Whether results depend on arguments but the first `skipped`, or on constants that are traced."""
    program, consts = parts(jaxpr)
    reached = set(program.invars[skipped:])
    reached |= {v for v, value in zip(program.constvars, consts, strict=True) if is_traced(value)}
    for eqn in program.eqns:
        if any(not isinstance(v, Literal) and v in reached for v in eqn.invars):
            reached.update(eqn.outvars)
    return any(not isinstance(v, Literal) and v in reached for v in program.outvars)

"""Derivatives that enter a residual with coefficients that do not depend on fields: the operators they make up.

    residual = Σ_k c_k(x) D_k u + rest,      c_k = ∂ residual / ∂ (D_k u)

What is known of the c_k when tracing stays known. Others, functions of the point or of parameters that are traced, are
evaluated at the point, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.jax_compat import Closed, Literal, as_function, bind, is_traced, parts
from dof.pde.notation.derivatives import Read
from dof.typing import Array


@dataclass(frozen=True)
class Merge:
    """Σ_k rows[m][k] reads[k] is operator m; an entry is a float if it is known. Of leaf number l of the residual,
    element e has the sum over components f of operator m of the network, wherever where[l][e, f, m] is true."""

    reads: tuple[Read, ...]
    rows: tuple[tuple[Any, ...], ...]
    where: tuple[np.ndarray, ...]


def contribution(where: np.ndarray, shape: tuple[int, ...], applied: Sequence[Any]) -> Any:
    """What the operators add to a leaf of the residual."""
    stacked = jnp.stack([jnp.ravel(part) for part in applied], axis=-1)
    return jnp.where(where, stacked, 0).sum(axis=(1, 2)).reshape(shape)


def merges_of(affine: Callable[..., Any], reads: Sequence[Read], derivatives: Any, point: Any) -> list[Merge]:
    """`affine(derivatives, point)` is the residual as a function of these reads. Two merges: of all of them, and of
    those with known coefficients; as far as they are worth it."""
    if not reads or any(jnp.issubdtype(leaf.dtype, jnp.complexfloating) for leaf in derivatives):
        return []  # a complex coefficient takes two channels, as many as the parts that it joins
    table = coefficients_of(affine, derivatives, point)
    entries = [entry for entries in table for entry in entries]
    if any(map(jnp.iscomplexobj, entries)) or not all(np.isfinite(e).all() for e in entries if _is_known(e)):
        return []
    known = [k for k in range(len(reads)) if all(_is_known(entries[k]) for entries in table)]
    choices = [list(range(len(reads)))] + ([known] if 0 < len(known) < len(reads) else [])
    merges = [_merge([reads[k] for k in kept], [[entries[k] for k in kept] for entries in table]) for kept in choices]
    return [merge for merge in merges if merge is not None]


def coefficients_of(affine: Callable[..., Any], derivatives: Any, point: Any) -> list[list[Array]]:
    """For each leaf of the residual and each read: ∂ leaf / ∂ read at the point, (elements, components)."""
    zeros = [np.zeros(leaf.shape, leaf.dtype) for leaf in derivatives]

    def one_by_one(point: Any) -> list[Any]:
        """So that what has no part in a leaf is seen to have none."""
        in_place = lambda k: lambda d: affine([*zeros[:k], d, *zeros[k + 1 :]], point)  # noqa: E731
        return [jax.tree.leaves(jax.jacfwd(in_place(k))(zero)) for k, zero in enumerate(zeros)]

    jaxpr = jax.make_jaxpr(one_by_one)(point)
    results: list[Any] = known_results(jaxpr)
    if any(result is None for result in results):
        late = as_function(jaxpr)(point)
        results = [at_point if now is None else now for now, at_point in zip(results, late, strict=True)]
    blocks = [result.reshape(-1, zeros[0].size) for result in results]
    leaves = len(blocks) // len(zeros)
    return [blocks[l::leaves] for l in range(leaves)]


def known_results(jaxpr: Closed) -> list[np.ndarray | None]:
    """The results that depend on no argument and on nothing that is traced; None for the others."""
    program, consts = parts(jaxpr)
    values = {v: value for v, value in zip(program.constvars, consts, strict=True) if not is_traced(value)}
    value_of = lambda atom: atom.val if isinstance(atom, Literal) else values.get(atom)  # noqa: E731
    with jax.ensure_compile_time_eval():
        for eqn in program.eqns:
            operands = [value_of(atom) for atom in eqn.invars]
            if not eqn.effects and all(operand is not None for operand in operands):
                values.update(zip(eqn.outvars, bind(eqn.primitive, operands, eqn.params), strict=True))
        results = [value_of(atom) for atom in program.outvars]
        return [None if result is None else np.asarray(result) for result in results]


def _merge(reads: Sequence[Read], table: Sequence[Sequence[Array]]) -> Merge | None:
    """Rows that are known are one operator if they are equal, and none if they are zero. Others are one each."""
    known = {l: np.stack(entries, axis=-1) for l, entries in enumerate(table) if all(map(_is_known, entries))}
    varying = [
        (l, place) for l, entries in enumerate(table) if l not in known for place in np.ndindex(entries[0].shape)
    ]
    if len(varying) > len(reads):
        return None  # a channel for each read takes fewer
    numbers = [array.reshape(-1, len(reads)) for array in known.values()]
    distinct = np.unique(np.concatenate([np.zeros((1, len(reads))), *numbers]), axis=0)
    distinct = distinct[distinct.any(axis=1)]
    count = len(distinct) + len(varying)
    where = [np.zeros((*entries[0].shape, count), bool) for entries in table]
    for l, array in known.items():
        where[l][..., : len(distinct)] = (array[:, :, None] == distinct).all(axis=-1)
    for m, (l, place) in enumerate(varying):
        where[l][(*place, len(distinct) + m)] = True
    rows = [*distinct.tolist(), *([entry[place] for entry in table[l]] for l, place in varying)]
    return Merge(tuple(reads), tuple(tuple(map(_number, row)) for row in rows), tuple(where)) if rows else None


def _is_known(entry: Any) -> bool:
    return isinstance(entry, np.ndarray)


def _number(entry: Any) -> Any:
    return entry if isinstance(entry, jax.Array) else float(entry)

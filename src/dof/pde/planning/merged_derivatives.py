"""Derivatives that enter a residual linearly, merged into operators.

    residual = Σ_k c_k(x) D_k u + rest,      c_k = ∂ residual / ∂ (D_k u)

What is known of the c_k while tracing stays known. Others, functions of the point or of parameters that are traced, are
evaluated at the point, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.extend import as_function, is_known, known_results
from dof.pde.notation.derivatives import Derivative
from dof.pde.planning.traced_residual import TracedResidual
from dof.typing import Array


@dataclass(frozen=True)
class Merge:
    """Operators that stand for several derivatives.

    Attributes:
        reads: the derivatives D_k that they stand for.
        rows: operator m is Σ_k rows[m][k] D_k; an entry is a float if it is known while tracing.
        where: for each leaf of the residual a mask (elements, components, operators). To element e of the leaf is
            added operator m applied to component f of the network, for all f and m where mask[e, f, m] is true.
    """

    reads: tuple[Derivative, ...]
    rows: tuple[tuple[Any, ...], ...]
    where: tuple[np.ndarray, ...]

    @property
    def is_known(self) -> bool:
        """Whether all coefficients are known while tracing."""
        return all(isinstance(entry, float) for row in self.rows for entry in row)


def contribution(where: np.ndarray, shape: tuple[int, ...], applied: Sequence[Any]) -> Any:
    """What the operators add to a leaf of the residual."""
    stacked = jnp.stack([jnp.ravel(part) for part in applied], axis=-1)
    return jnp.where(where, stacked, 0).sum(axis=(1, 2)).reshape(shape)


def merges_of(traced: TracedResidual, point: Any) -> list[Merge]:
    """The merges worth considering: of all linear reads, and of those with known coefficients only."""
    linear = traced.linear_reads()
    if not linear or jnp.issubdtype(traced.value.dtype, jnp.complexfloating):
        return []  # a complex coefficient takes two channels, as many as the parts that it joins
    table = coefficients_of(traced, linear, point)
    entries = [entry for of_leaf in table for entry in of_leaf]
    # A coefficient that is nan or infinite is not merged but stays in the residual, whose value shows it.
    if any(map(jnp.iscomplexobj, entries)) or not all(np.isfinite(e).all() for e in entries if is_known(e)):
        return []
    known = [k for k in range(len(linear)) if all(is_known(of_leaf[k]) for of_leaf in table)]
    # Where some coefficients are known only at run time, A of the known ones alone may have a lower rank.
    choices = [list(range(len(linear)))] + ([known] if 0 < len(known) < len(linear) else [])
    merges = [
        _merge([traced.reads[linear[k]] for k in kept], [[of_leaf[k] for k in kept] for of_leaf in table])
        for kept in choices
    ]
    return [merge for merge in merges if merge is not None]


def coefficients_of(traced: TracedResidual, linear: Sequence[int], point: Any) -> list[list[Array]]:
    """For each leaf of the residual and each linear read: ∂ leaf / ∂ read at the point, (elements, components)."""
    # Derivatives and value may be anything, as the coefficients depend on neither: zeros are known while tracing.
    zeros = [np.zeros(type_.shape, type_.dtype) for type_ in traced.types]
    no_value = np.zeros(traced.value.shape, traced.value.dtype)

    def one_by_one(point: Any) -> list[Any]:
        """A Jacobian for each read by itself, so that a read without part in a leaf is seen to have none."""
        in_place = lambda k: lambda d: traced.at([*zeros[:k], d, *zeros[k + 1 :]], no_value, point)  # noqa: E731
        return [leaf for k in linear for leaf in jax.jacfwd(in_place(k))(zeros[k])]

    jaxpr = jax.make_jaxpr(one_by_one)(point)
    results: list[Any] = known_results(jaxpr)
    if any(result is None for result in results):
        late = as_function(jaxpr)(point)
        results = [at_point if now is None else now for now, at_point in zip(results, late, strict=True)]
    # Results come read by read, and for each read leaf by leaf.
    blocks = [result.reshape(-1, no_value.size) for result in results]
    leaves = len(blocks) // len(linear)
    return [blocks[l::leaves] for l in range(leaves)]


def _merge(reads: Sequence[Derivative], table: Sequence[Sequence[Array]]) -> Merge | None:
    """One operator for each distinct row of coefficients that is known and not zero, and for each that is not known."""
    known = {l: np.stack(entries, axis=-1) for l, entries in enumerate(table) if is_known(*entries)}
    varying = [
        (l, place) for l, entries in enumerate(table) if l not in known for place in np.ndindex(entries[0].shape)
    ]
    if len(varying) > len(reads):
        return None  # a channel for each read takes fewer
    numbers = [array.reshape(-1, len(reads)) for array in known.values()]
    # The row of zeros is there for the concatenation, if nothing is known; it is dropped again.
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


def _number(entry: Any) -> Any:
    return entry if isinstance(entry, jax.Array) else float(entry)

"""What a residual is made of at a point, to say how large it is beside its own terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp

from dof.pde.notation.derivatives import Derivative, Higher, Second, derivative_of
from dof.pde.planning.evaluate import derivatives_by_propagation, plan_traced
from dof.pde.planning.traced_residual import trace_residual

MOST_PARTS = 32
"""Parts into which a derivative is divided. Where it has more, as a Laplacian in 100 dimensions, it counts as one term:
parts would take as long as a Hessian."""


def terms_at_point(residual: Any, net: Callable[[Any], Any], point: Any, parameters: Any) -> Any:
    """What the residual r is made of at one point, (rows, components); complex components as real and imaginary ones.

    - For each derivative d that it reads, and for the value, (∂r/∂d) d: of a linear term this is the term itself.
    - The rest, r minus all of these: of a linear equation its source.
    - For each derivative that is a sum, as a Laplacian, or has several numbers, as a gradient, √(Σ_e (∂r/∂d_e d_e)²)
      over its parts d_e: in Δu = 0 and in div v = 0 the only term is r itself, but u_xx and u_yy are not small.
    """
    shape = jax.eval_shape(net, point)
    traced = trace_residual(residual, shape, point, parameters)
    derivatives_of = lambda reads: _derivatives(residual, net, point, replace(traced, reads=tuple(reads)))  # noqa: E731
    value, derivatives = derivatives_of(traced.reads)
    reads = (*derivatives, value)

    def flat(*reads: Any) -> Any:
        leaves = [jnp.ravel(leaf) for leaf in traced.at(reads[:-1], reads[-1], point)]
        return jnp.concatenate([part for leaf in leaves for part in _real_parts(leaf)])

    zeros = [jnp.zeros_like(read) for read in reads]
    along = lambda k, d: jax.jvp(flat, reads, (*zeros[:k], d, *zeros[k + 1 :]))[1]  # noqa: E731
    terms = jnp.stack([along(k, read) for k, read in enumerate(reads)])
    rest = flat(*reads) - terms.sum(axis=0)
    summed = {k: parts for k, read in enumerate(traced.reads) if len(parts := _summands(read)) > 1}
    # One propagation for the parts of all sums.
    found = dict(zip(wanted := [p for parts in summed.values() for p in parts], derivatives_of(wanted)[1], strict=True))
    sizes = []
    for k, read in enumerate(reads):
        parts = [found[part] for part in summed.get(k, ())] or [read]
        split = [p for part in parts for p in _single_entries(part)]
        if 1 < len(split) <= MOST_PARTS:
            sizes.append(jnp.linalg.norm(jnp.stack([along(k, part) for part in split]), axis=0))
    return jnp.stack([*terms, rest, *sizes])


def _derivatives(residual: Any, net: Callable[[Any], Any], point: Any, traced: Any) -> tuple[Any, Sequence[Any]]:
    """The value and the derivatives that are read. Nothing is merged: a merged operator is a sum that may cancel."""
    if not traced.reads:
        return net(point), ()
    plan, prepared, _ = plan_traced(residual, point, traced, [], None)
    value, _, derivatives = derivatives_by_propagation(net, plan, prepared, point)
    return value, derivatives


def _summands(read: Derivative) -> list[Derivative]:
    """The derivatives whose sum a Laplacian is, or ∂^e Δ^k by its first Laplacian; none for others."""
    if isinstance(read, Second):
        found: list[Derivative] = [Second((pair,)) for pair in read.pairs]
    elif isinstance(read, Higher) and read.laplacians:
        left = read.laplacians - 1
        found = [derivative_of((*read.monomial, i, i), left, read.places) for i in read.places]
    else:
        return []
    return found if len(found) <= MOST_PARTS else []


def _single_entries(array: Any) -> list[Any]:
    """Arrays of the same shape with one entry each; of many entries the array itself."""
    if array.size > MOST_PARTS:
        return [array]
    units = jnp.eye(array.size, dtype=array.dtype).reshape(array.size, *array.shape)
    return [unit * array for unit in units]


def _real_parts(array: Any) -> tuple[Any, ...]:
    return (array.real, array.imag) if jnp.iscomplexobj(array) else (array,)

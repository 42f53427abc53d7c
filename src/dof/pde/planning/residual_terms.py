"""What a residual is made of at a point, to say how large it is beside its own terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from dof.pde.planning.evaluate import derivatives_by_propagation, plan_traced
from dof.pde.planning.traced_residual import trace_residual


def terms_at_point(residual: Any, net: Callable[[Any], Any], point: Any, parameters: Any) -> Any:
    """What the residual r is made of at one point, (reads + 2, components).

    For each derivative d that it reads, and for the value, (∂r/∂d) d: of a linear term this is the term itself. The
    last row is the rest, r minus all of these: of a linear equation its source. All rows add up to r.
    """
    shape = jax.eval_shape(net, point)
    traced = trace_residual(residual, shape, point, parameters)
    # Nothing is merged: a merged operator is a sum of terms that may cancel.
    plan, prepared, _ = plan_traced(residual, point, traced, [], None)
    value, _, derivatives = derivatives_by_propagation(net, plan, prepared, point)
    reads = (*derivatives, value)

    def flat(*reads: Any) -> Any:
        return jnp.concatenate([jnp.ravel(leaf) for leaf in traced.at(reads[:-1], reads[-1], point)])

    zeros = [jnp.zeros_like(read) for read in reads]
    along = lambda k: jax.jvp(flat, reads, (*zeros[:k], reads[k], *zeros[k + 1 :]))[1]  # noqa: E731
    terms = jnp.stack([along(k) for k in range(len(reads))])
    return jnp.concatenate([terms, (flat(*reads) - terms.sum(axis=0))[None]])

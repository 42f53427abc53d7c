"""How well a network solves its problem, on points that it is not trained on.

The residual of each term is compared with the size of what it is made of, so that it is a share: 1 for a network that
has nothing to do with the equation, 1e-6 for one that fulfils it to six digits. In the units of the problem, a mean
square residual says nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

import dof
from dof.solving.objective import Objective
from dof.solving.sampling import Batch


class FreshResidual(NamedTuple):
    """What is measured on fresh points.

    Attributes:
        losses: The mean of |r_k|² for each term k, (terms,).
        sizes: The mean square of the largest part of each term's residual, (terms,).
    """

    losses: np.ndarray
    sizes: np.ndarray

    def relative(self, losses: np.ndarray) -> np.ndarray:
        """√(mean |r_k|²) of each term, relative to the size of its parts."""
        # A term whose parts are all zero has no size: its residual stands as it is.
        return np.sqrt(losses / np.where(self.sizes > 0, self.sizes, 1.0))


def fresh_residual(objective: Objective, theta: Any, batch: Batch) -> tuple[Any, Any]:
    """Losses and sizes of all terms, as `FreshResidual` has them."""
    each = [_loss_and_size(objective, k, theta, batch) for k in range(len(batch))]
    losses, sizes = zip(*each, strict=True)
    return jnp.stack(losses), jnp.stack(sizes)


def _loss_and_size(objective: Objective, k: int, theta: Any, batch: Batch) -> tuple[Any, Any]:
    """Of one term: the mean square of its residual, and that of its largest part."""
    squares = dof.batched(lambda *z: jnp.sum(objective.residual(k, theta, z) ** 2))(*batch[k])
    if objective.terms[k].parts is None:
        return squares.mean(), _size_of_condition(objective, k, theta, batch)
    parts = dof.batched(lambda *z: jnp.sum(jnp.abs(objective.parts(k, theta, z)) ** 2, axis=-1))(*batch[k])
    return squares.mean(), parts.mean(axis=0).max()


def _size_of_condition(objective: Objective, k: int, theta: Any, batch: Batch) -> Any:
    """The mean square of A u and of g, the larger, for a condition A u = g.

    −g is the residual of u = 0, and A u the difference from it. A u is taken inside of the domain: where the condition
    holds, A u = 0 has no size.
    """
    own = batch[k]
    inside = jnp.take(jnp.asarray(batch[0][0]), np.arange(len(own[0])) % len(batch[0][0]), axis=0)

    def squares(*arrays: Any) -> Any:
        at, place = arrays[0], arrays[1:]
        moved = objective.residual(k, theta, (at, *place[1:])) - objective.residual_of_zero(k, theta, (at, *place[1:]))
        return jnp.stack([jnp.sum(moved**2), jnp.sum(objective.residual_of_zero(k, theta, place) ** 2)])

    found = dof.batched(squares)(inside, *own)
    # A residual of the user's need not be finite at u = 0, nor g inside of the domain.
    return jnp.where(jnp.isfinite(found), found, 0.0).mean(axis=0).max()

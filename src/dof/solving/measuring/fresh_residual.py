"""How well a network solves its problem, on points that it is not trained on.

The residual of each term is compared with the size of what it is made of, so that it is a share: 1 for a network that
has nothing to do with the equation, 1e-6 for one that fulfils it to six digits. In the units of the problem, a mean
square residual says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

import dof
from dof.solving.devices import Devices
from dof.solving.loss.collocation_points import Batch
from dof.solving.loss.objective import Objective


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


def fresh_residual(objective: Objective, theta: Any, batch: Batch, inside: Sequence[Any], devices: Devices) -> Any:
    """Losses and sizes of all terms, as `FreshResidual` has them.

    Args:
        objective: The terms.
        theta: The parameters.
        batch: The points of each term.
        inside: For each term as many points inside of the domain.
        devices: Over which all points are divided.
    """
    means = [devices.mean(_means(objective, k, theta, batch[k], inside[k])) for k in range(len(batch))]
    return jnp.stack([loss for loss, _ in means]), jnp.stack([parts.max() for _, parts in means])


def _means(objective: Objective, k: int, theta: Any, arrays: Any, inside: Any) -> tuple[Any, Any]:
    """Of one term: the mean square of its residual, and that of each of its parts, (parts,)."""
    squares = dof.batched(lambda *z: jnp.sum(objective.residual(k, theta, z) ** 2))(*arrays)
    if k > 0:
        return squares.mean(), _parts_of_condition(objective, k, theta, arrays, inside)
    parts = dof.batched(lambda *z: jnp.sum(jnp.abs(objective.parts(k, theta, z)) ** 2, axis=-1))(*arrays)
    return squares.mean(), parts.mean(axis=0)


def _parts_of_condition(objective: Objective, k: int, theta: Any, arrays: Any, inside: Any) -> Any:
    """The mean squares of A u, of what A u is a sum of, and of g, for a condition A u = g.

    −g is the residual of u = 0, and A u the difference from it. A u is taken inside of the domain: where the condition
    holds, A u = 0 has no size. A wave that leaves has u_t + u_x = 0 inside too, but u_t and u_x are not small.
    """

    def squares(*arrays: Any) -> Any:
        here, place = (arrays[0], *arrays[2:]), arrays[1:]
        moved = objective.residual(k, theta, here) - objective.residual_of_zero(k, theta, here)
        summed = objective.moved_parts(k, theta, here) if objective.terms[k].parts else moved
        sizes = jnp.sum(jnp.abs(jnp.atleast_2d(summed)) ** 2, axis=-1)
        ends = jnp.stack([jnp.sum(moved**2), jnp.sum(objective.residual_of_zero(k, theta, place) ** 2)])
        return jnp.concatenate([ends, sizes])

    found = dof.batched(squares)(inside, *arrays)
    # A residual of the user's need not be finite at u = 0, nor g inside of the domain.
    return jnp.where(jnp.isfinite(found), found, 0.0).mean(axis=0)

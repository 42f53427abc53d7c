"""Features of an interval [0, L] and a time [0, T] in which every function continues by reflection at both ends."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np


def mirrored(length: float, duration: float, crowded: float | None = None) -> Callable[[Any], Any]:
    """The function (x, t) ↦ (cos(πx / L), 2 s − 1), with s = t / T.

    A function of these features is even about both ends: u_x = u_xxx = 0 there. Times sin(πx / L) it is odd: u = u_xx
    = 0. With `crowded` = c, as of `pde.Time`, s is log(1 + t / c) / log(1 + T / c), in which the first changes take as
    much room as later ones.
    """

    def features(z: Any) -> Any:
        x, t = z
        s = t / duration if crowded is None else jnp.log1p(t / crowded) / np.log1p(duration / crowded)
        return jnp.stack([jnp.cos(jnp.pi * x / length), 2 * s - 1])

    return features

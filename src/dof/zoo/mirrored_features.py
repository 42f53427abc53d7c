"""Features of an interval [0, L] and a time [0, T] in which every function continues by reflection at both ends."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp


def mirrored(length: float, duration: float) -> Callable[[Any], Any]:
    """The function (x, t) ↦ (cos(πx / L), 2 t / T − 1).

    A function of them is even about both ends: u_x = u_xxx = 0 there. Times sin(πx / L) it is odd: u = u_xx = 0.
    """

    def features(z: Any) -> Any:
        return jnp.stack([jnp.cos(jnp.pi * z[0] / length), 2 * z[1] / duration - 1])

    return features

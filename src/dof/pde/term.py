"""A term of a loss: residuals at points; and what each kind of condition demands there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.coordinates import space_of
from dof.pde.places import Setting

Net = Callable[[Any], Any]


@dataclass(frozen=True)
class Term:
    """Residuals at points that fill a place.

    points: arrays over points, from uniform numbers (n, uniforms); fixed: there is just this many of them.
    residual(net, parameters, method, *arrays of one point): numbers that are to be zero.
    """

    name: str
    uniforms: int
    points: Callable[[np.ndarray], tuple[np.ndarray, ...]]
    residual: Callable[..., Any]
    fixed: int | None = None


def _value(condition: Any, setting: Setting) -> Callable[..., Any]:
    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        return setting.of_field(condition.field, net(z)) - jnp.asarray(setting.given(condition.value, z))

    return residual


def _flux(condition: Any, setting: Setting) -> Callable[..., Any]:
    """α u + β ∂u/∂n − g"""
    space = np.array(space_of(setting.coordinates))

    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        value, slope = jax.jvp(net, (z,), (jnp.zeros_like(z).at[space].set(n),))
        alpha, beta = (setting.given(factor, z) for factor in condition.factors)
        return setting.of_field(condition.field, alpha * value + beta * slope) - setting.given(condition.value, z)

    return residual


def _velocity(condition: Any, setting: Setting) -> Callable[..., Any]:
    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        slope = jax.jvp(net, (z,), (jnp.zeros_like(z).at[setting.time].set(1.0),))[1]
        return setting.of_field(condition.field, slope) - jnp.asarray(setting.given(condition.value, z))

    return residual


def _same_at_both_ends(condition: Any, setting: Setting) -> Callable[..., Any]:
    axis = setting.place(condition.on, "periodic")

    def residual(net: Net, parameters: Any, method: str, low: Any, high: Any) -> Any:
        along = jnp.zeros_like(low).at[axis].set(1.0)
        ends = [jnp.stack(jax.jvp(net, (z,), (along,))) for z in (low, high)]
        return setting.of_field(condition.field, ends[0] - ends[1])

    return residual


LAWS: dict[str, Callable[[Any, Setting], Callable[..., Any]]] = {
    "dirichlet": _value,
    "initial": _value,
    "neumann": _flux,
    "robin": _flux,
    "initial velocity": _velocity,
    "periodic": _same_at_both_ends,
}

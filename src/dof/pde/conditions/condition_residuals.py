"""The residual of each kind of condition at one point: what must be zero there.

A residual is called with (net, parameters, method, z, n): the unknown functions, the problem's unknown numbers, how
derivatives of equations are computed (not used here), a point and the normal in space there. That of a periodic
condition gets two points instead, the lower and the upper end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.pde.conditions.loss_term import Net
from dof.pde.geometry.named_domain import NamedDomain
from dof.pde.notation.names import space_axes


def _value(condition: Any, named: NamedDomain) -> Callable[..., Any]:
    """The residual u − g."""

    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        return named.of_field(condition.field, net(z)) - jnp.asarray(named.given(condition.value, z))

    return residual


def _flux(condition: Any, named: NamedDomain) -> Callable[..., Any]:
    """The residual α u + β ∂u/∂n − g."""
    space = np.array(space_axes(named.coordinates))

    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        # One jvp gives u and ∂u/∂n. The normal has no component in time, which is filled up with zero.
        both = jax.jvp(net, (z,), (jnp.zeros_like(z).at[space].set(n),))
        value, slope = (named.of_field(condition.field, part) for part in both)
        alpha, beta, g = (jnp.asarray(named.given(part, z, n)) for part in (*condition.factors, condition.value))
        return alpha * value + beta * slope - g

    return residual


def _velocity(condition: Any, named: NamedDomain) -> Callable[..., Any]:
    """The residual ∂u/∂t − g."""

    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        slope = jax.jvp(net, (z,), (jnp.zeros_like(z).at[named.time].set(1.0),))[1]
        return named.of_field(condition.field, slope) - jnp.asarray(named.given(condition.value, z))

    return residual


def _difference_of_ends(condition: Any, named: NamedDomain) -> Callable[..., Any]:
    """The residual (u, ∂u/∂x) at the lower end minus the same at the upper end."""
    axis = named.axis(condition.on)

    def residual(net: Net, parameters: Any, method: str, low: Any, high: Any) -> Any:
        along = jnp.zeros_like(low).at[axis].set(1.0)
        ends = [jnp.stack(jax.jvp(net, (z,), (along,))) for z in (low, high)]
        return named.of_field(condition.field, ends[0] - ends[1])

    return residual


CONDITION_RESIDUALS: dict[str, Callable[[Any, NamedDomain], Callable[..., Any]]] = {
    "dirichlet": _value,
    "initial": _value,
    "neumann": _flux,
    "robin": _flux,
    "initial velocity": _velocity,
    "periodic": _difference_of_ends,
}
"""From a condition and the domain it holds on to its residual, by the kind of the condition."""

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


def flux_parts(condition: Any, named: NamedDomain) -> Callable[..., Any]:
    """α u and β ∂u/∂n, one below the other, from (net, parameters, z, n)."""
    space = np.array(space_axes(named.coordinates))

    def parts(net: Net, parameters: Any, z: Any, n: Any) -> Any:
        # One jvp gives u and ∂u/∂n. The normal has no component in time, which is filled up with zero.
        both = jax.jvp(net, (z,), (jnp.zeros_like(z).at[space].set(n),))
        factors = (jnp.asarray(named.given(factor, z, n)) for factor in condition.factors)
        found = [factor * named.of_field(condition.field, part) for factor, part in zip(factors, both, strict=True)]
        return jnp.stack(found)

    return parts


def _flux(condition: Any, named: NamedDomain) -> Callable[..., Any]:
    """The residual α u + β ∂u/∂n − g."""
    parts = flux_parts(condition, named)

    def residual(net: Net, parameters: Any, method: str, z: Any, n: Any) -> Any:
        return parts(net, parameters, z, n).sum(axis=0) - jnp.asarray(named.given(condition.value, z, n))

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

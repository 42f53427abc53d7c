"""How each method computes the residual of a PDE at one point, as people write it in PINNs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from dof.bench.cases.pde_operators import PdeOperator

Fields = Callable[[Any], Any]
Derivatives = Callable[[PdeOperator, Fields, Any], tuple[Any, Any, Any, Any]]
"""(operator, fields, x) ↦ (u, ∇u, Δu in space, ∂²u/∂t²); the last is None where it is not read."""


def residual_from(derivatives: Derivatives) -> Callable[[PdeOperator, Fields], Fields]:
    """The residuals of all equations, of shape (equations,), from derivatives by a method."""

    def method(operator: PdeOperator, phi: Fields) -> Fields:
        fields = lambda x: phi(x).reshape(operator.fields)  # noqa: E731
        return lambda x: operator.by_hand(*derivatives(operator, fields, x))

    return method


def hessian(operator: PdeOperator, phi: Fields, x: Any) -> tuple[Any, Any, Any, Any]:
    """Everything from the gradient and the full Hessian."""
    second = jnp.diagonal(jax.hessian(phi)(x), axis1=1, axis2=2)
    return phi(x), jax.jacrev(phi)(x), second[:, : operator.space].sum(axis=1), second[:, -1]


def jvp_of_jvp(operator: PdeOperator, phi: Fields, x: Any) -> tuple[Any, Any, Any, Any]:
    """A jvp of a jvp along each coordinate that has a second derivative, one jvp along time where it has none."""
    n, units = operator.space, jnp.eye(len(x), dtype=x.dtype)

    def along(direction: Any) -> tuple[Any, Any, Any]:
        slope = lambda x: jax.jvp(phi, (x,), (direction,))  # noqa: E731
        (value, first), (_, second) = jax.jvp(slope, (x,), (direction,))
        return value, first, second

    if operator.has_second_in_time:
        values, first, second = jax.vmap(along)(units)
        return values[0], first.T, second[:n].sum(axis=0), second[n]
    values, first, second = jax.vmap(along)(units[:n])
    in_time = jax.jvp(phi, (x,), (units[n],))[1]
    return values[0], jnp.concatenate([first, in_time[None]]).T, second.sum(axis=0), None


def jvp_of_grad(operator: PdeOperator, phi: Fields, x: Any) -> tuple[Any, Any, Any, Any]:
    """The gradient once, and its derivatives along the coordinates that have a second derivative."""
    n, count = operator.space, operator.space + operator.has_second_in_time
    value, gradient = phi(x), jax.jacrev(phi)
    slopes, push = jax.linearize(gradient, x)
    rows = jax.vmap(push)(jnp.eye(len(x), dtype=x.dtype)[:count])
    second = jnp.stack([rows[i, :, i] for i in range(count)])
    return value, slopes, second[:n].sum(axis=0), second[-1]


def folx_and_jvp(operator: PdeOperator, phi: Fields, x: Any) -> tuple[Any, Any, Any, Any]:
    """The forward Laplacian of folx in space, and a jvp, or a jvp of a jvp, in time."""
    import folx  # pyright: ignore[reportMissingImports]

    n, t = operator.space, x[-1]
    found = folx.forward_laplacian(lambda s: phi(jnp.append(s, t)))(x[:n])
    at_time = lambda t: phi(x.at[n].set(t))  # noqa: E731
    in_time = lambda t: jax.jvp(at_time, (t,), (jnp.ones_like(t),))[1]  # noqa: E731
    first, second = jax.jvp(in_time, (t,), (jnp.ones_like(t),)) if operator.has_second_in_time else (in_time(t), None)
    slopes = jnp.concatenate([found.jacobian.dense_array, first[None]]).T
    return found.x, slopes, found.laplacian, second

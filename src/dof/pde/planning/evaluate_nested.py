"""A residual at one point by nested differentiation, which results of a propagation are compared with."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe
from dof.extend import Coordinates, contract_dense, nested_autodiff, typed_like
from dof.pde.notation.derivatives import Applied, Derivative, First, Gradient, Second
from dof.pde.planning.plan_any_order import is_higher
from dof.pde.planning.traced_residual import trace_residual


def by_hessian(residual: Any, net: Callable[[Any], Any], point: Any, parameters: Any) -> Any:
    """The residual, with all derivatives from the gradient and the whole Hessian of the network."""
    value = net(point)
    require_fields(residual, value)
    struct = typed_like(value.shape, value)
    traced = trace_residual(residual, struct, point, parameters)
    first = jacobian_of(value)
    has_second = any(isinstance(read, (Second, Applied)) for read in traced.reads)
    gradient: Any = first(net)(point) if traced.reads else None
    hessian: Any = jax.jacfwd(first(net))(point) if has_second else None

    def given(read: Derivative) -> Any:
        if isinstance(read, First):
            return gradient[..., read.i]
        if isinstance(read, Gradient):
            return gradient[..., np.array(read.places)]
        if is_higher(read):
            return _nested(read, net, point)
        if isinstance(read, Applied):
            return contract_dense(read.operator.at(point, Coordinates.of(point)), value, gradient, hessian)
        assert isinstance(read, Second)
        i, j = np.array(read.pairs).T
        return hessian[..., i, j].sum(axis=-1)

    return jax.tree.unflatten(traced.tree, traced.at([given(read) for read in traced.reads], value, point))


def _nested(read: Any, net: Callable[[Any], Any], point: Any) -> Any:
    """A derivative of an order above two by nested differentiation."""
    if isinstance(read, Applied):
        return nested_autodiff(read.operator, net)(point)
    units = jnp.eye(point.size, dtype=point.dtype)
    along = lambda g, i: lambda z: jax.jvp(g, (z,), (units[i],))[1]  # noqa: E731
    laplacian = lambda g: lambda z: sum(along(along(g, i), i)(z) for i in read.places)  # noqa: E731
    for _ in range(read.laplacians):
        net = laplacian(net)
    return reduce(along, read.monomial, net)(point)


def jacobian_of(value: Any) -> Callable[..., Any]:
    """`jax.jacrev`, which needs one pass for a number; it refuses complex results, which `jax.jacfwd` takes."""
    return jax.jacfwd if jnp.issubdtype(value.dtype, jnp.complexfloating) else jax.jacrev


def require_fields(residual: Any, value: Any) -> None:
    """Refuse a network that does not return the residual's fields."""
    expected = () if residual.is_single else (residual.fields.count,)
    if getattr(value, "shape", None) != expected:
        found = f"returns {value if not hasattr(value, 'shape') else f'shape {value.shape}'}"
        fix = "net = lambda z: network(z)[0]" if residual.is_single else f"net = lambda z: network(z)  # {expected}"
        raise ArgumentError(describe("net", found, f"shape {expected} for the fields {residual.fields}", fix))

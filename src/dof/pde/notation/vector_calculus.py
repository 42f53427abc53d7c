"""Derivatives of fields by the names of vector calculus: dt, grad, div, laplacian, biharmonic, advect."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from dof.errors import ArgumentError, describe
from dof.pde.notation.divergence import divergence
from dof.pde.notation.field import Field
from dof.pde.notation.names import TIME


def dt(u: Field) -> Any:
    """∂u/∂t.

    Examples:
        >>> from dof import pde
        >>> print(pde.residual("x t")(lambda u, x, t: pde.dt(u))(lambda z: z[0] * z[1] ** 2)([3.0, 2.0]))
        12.0
    """
    if isinstance(u, Field):
        u.require_time("pde.dt")
    return u.d(TIME)


def grad(u: Field) -> Any:
    """∇u in space, all coordinates but t, on the last axis.

    Examples:
        >>> from dof import pde
        >>> print(pde.residual("x y t")(lambda u, x, y, t: pde.grad(u))(lambda z: z[0] * z[1] * z[2])([2.0, 3.0, 1.0]))
        [3. 2.]
    """
    return u.gradient


def div(u: Any) -> Any:
    """Σ ∂u_i/∂x_i in space, over the last axis.

    Args:
        u: A field with as many components as space has coordinates, or an expression of fields, their derivatives and
            the coordinates: a flux `k * pde.grad(u)`, or a stress of shape (components, dimensions).

    Examples:
        >>> from dof import pde
        >>> print(pde.residual("x y", fields="u[2]")(lambda u, x, y: pde.div(u))(lambda z: z**2)([1.0, 2.0]))
        6.0
        >>> flux = pde.residual("x y")(lambda u, x, y: pde.div((1 + x) * pde.grad(u)))  # (1 + x) Δu + u_x
        >>> print(flux(lambda z: z[0] ** 2)([1.0, 2.0]))
        6.0
    """
    if not isinstance(u, Field):
        return divergence(u)
    gradient = u.gradient
    if jnp.ndim(gradient) != 2 or gradient.shape[0] != gradient.shape[1]:
        found = f"has {u.shape or 'no'} components in {gradient.shape[-1]} dimensions"
        raise ArgumentError(describe("u", found, "as many components as there are dimensions", 'fields="u[2]"'))
    return jnp.trace(gradient)


def laplacian(u: Field) -> Any:
    """Δu in space, all coordinates but t; of each component.

    Examples:
        >>> from dof import pde
        >>> print(pde.residual("x[3] t")(lambda u, x, t: pde.laplacian(u))(lambda z: z @ z)([1.0, 2.0, 3.0, 4.0]))
        6.0
    """
    return u.laplacian


def biharmonic(u: Field) -> Any:
    """Δ²u in space, all coordinates but t; of each component.

    Examples:
        >>> from dof import pde
        >>> print(pde.residual("x y")(lambda u, x, y: pde.biharmonic(u))(lambda z: (z**4).sum())([1.0, 2.0]))
        48.0
    """
    return u.biharmonic


def advect(w: Any, u: Field) -> Any:
    """(w · ∇) u in space.

    Args:
        w: The velocity, a field or an array with as many components as space has coordinates.
        u: What is carried.

    Examples:
        >>> from dof import pde
        >>> print(pde.residual("x y", fields="u[2]")(lambda u, x, y: pde.advect(u, u))(lambda z: z**2)([1.0, 2.0]))
        [ 2. 16.]
    """
    return u.gradient @ jnp.asarray(w)

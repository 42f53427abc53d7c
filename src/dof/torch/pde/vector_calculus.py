"""Derivatives of fields by the names of vector calculus: dt, grad, div, laplacian, biharmonic, advect."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from dof.errors import ArgumentError, describe
from dof.pde.notation.names import TIME
from dof.torch.pde.fields import Field, value_of


def dt(u: Field) -> Tensor:
    """∂u/∂t."""
    return u.d(TIME)


def grad(u: Field) -> Tensor:
    """∇u in space, all coordinates but t, on the last axis."""
    return u.gradient


def laplacian(u: Field) -> Tensor:
    """Δu in space, all coordinates but t; of each component."""
    return u.laplacian


def biharmonic(u: Field) -> Tensor:
    """Δ²u in space, all coordinates but t; of each component.

    Examples:
        >>> import torch
        >>> from dof.torch import pde
        >>> pde.residual("x y")(lambda u, x, y: pde.biharmonic(u))(lambda z: (z**4).sum(-1))(torch.tensor([1.0, 2.0]))
        tensor(48.)
    """
    return u.biharmonic


def div(u: Field) -> Tensor:
    """Σ ∂u_i/∂x_i in space, for a field with as many components as space has coordinates.

    Examples:
        >>> import torch
        >>> from dof.torch import pde
        >>> pde.residual("x y", fields="u[2]")(lambda u, x, y: pde.div(u))(lambda z: z**2)(torch.tensor([1.0, 2.0]))
        tensor(6.)
    """
    gradient = u.gradient
    if gradient.dim() < 2 or gradient.shape[-1] != gradient.shape[-2] or gradient.dim() == u.value.dim():
        found = f"has values of shape {tuple(u.value.shape)} in {gradient.shape[-1]} dimensions"
        raise ArgumentError(describe("u", found, "as many components as there are dimensions", 'fields="u[2]"'))
    return gradient.diagonal(dim1=-2, dim2=-1).sum(-1)


def advect(w: Any, u: Field) -> Tensor:
    """(w · ∇) u in space; w is a field or a tensor with as many components as space has coordinates.

    Examples:
        >>> import torch
        >>> from dof.torch import pde
        >>> residual = pde.residual("x y", fields="u[2]")(lambda u, x, y: pde.advect(u, u))
        >>> residual(lambda z: z**2)(torch.tensor([1.0, 2.0]))
        tensor([ 2., 16.])
    """
    velocity = value_of(w)
    return (u.gradient * (velocity.unsqueeze(-2) if u.gradient.dim() > velocity.dim() else velocity)).sum(-1)

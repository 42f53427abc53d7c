"""Residuals of PDEs that PINNs are trained with: as `dof.pde` has them, and by hand from derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp

from dof import pde


@dataclass(frozen=True)
class PdeOperator:
    """A residual of fields u(x), with time as the last coordinate.

    Attributes:
        equation: the residual as `dof.pde` has it.
        fields: how many numbers the network has.
        space: the number of coordinates before time.
        has_second_in_time: whether ∂²u/∂t² is read.
        by_hand: (u, ∇u, Δu, ∂²u/∂t²) ↦ residuals, for u of shape (fields,), ∇u of shape (fields, space + 1) and the
            Laplacian Δu in space of shape (fields,).
    """

    equation: pde.Residual
    fields: int
    space: int
    has_second_in_time: bool
    by_hand: Callable[[Any, Any, Any, Any], Any]


def heat() -> PdeOperator:
    """u_t = Δu in two dimensions."""

    @pde.residual("x y t")
    def heat(u, x, y, t):
        return u.t - u.laplacian

    return PdeOperator(heat, 1, 2, False, lambda u, du, lap, utt: du[:, 2] - lap)


def klein_gordon() -> PdeOperator:
    """u_tt = Δu − u³ in three dimensions."""

    @pde.residual("x y z t")
    def klein_gordon(u, x, y, z, t):
        return u.tt - u.laplacian + u**3

    return PdeOperator(klein_gordon, 1, 3, True, lambda u, du, lap, utt: utt - lap + u**3)


def burgers() -> PdeOperator:
    """u_t + u u_x = 0.01 u_xx."""

    @pde.residual("x t")
    def burgers(u, x, t):
        return u.t + u * u.x - 0.01 * u.xx

    return PdeOperator(burgers, 1, 1, False, lambda u, du, lap, utt: du[:, 1] + u * du[:, 0] - 0.01 * lap)


def navier_stokes() -> PdeOperator:
    """Flow in a plane, with velocity (u, v) and pressure p: three equations."""

    @pde.residual("x y t", fields="u v p")
    def navier_stokes(u, v, p, x, y, t):
        along = u.t + u * u.x + v * u.y + p.x - 0.01 * u.laplacian
        across = v.t + u * v.x + v * v.y + p.y - 0.01 * v.laplacian
        return along, across, u.x + v.y

    def by_hand(f: Any, df: Any, lap: Any, _: Any) -> Any:
        momentum = df[:2, 2] + df[:2, :2] @ f[:2] + df[2, :2] - 0.01 * lap[:2]
        return jnp.append(momentum, df[0, 0] + df[1, 1])

    return PdeOperator(navier_stokes, 3, 2, False, by_hand)

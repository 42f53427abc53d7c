"""The linear system of a Gauss–Newton step, (Jᵀ J + λ τ 1) v = Jᵀ r, with the Jacobian divided over devices.

Jᵀ J has the squares of J's singular values, of which float64 keeps those above 1e-16 of the largest: with λ below
about 1e-13 its Cholesky factor is noise. Where λ is small, the factor L of Jᵀ J + SHIFT τ 1 therefore becomes a change
of coordinates w = Lᵀ v, in which

    B = J L⁻ᵀ,      Bᵀ B = 1 − SHIFT τ L⁻¹ L⁻ᵀ,      ((1 − q) Bᵀ B + q 1) w = Bᵀ r,      q = λ / SHIFT,

is the same system. The squares that Bᵀ B has span as many decades fewer as SHIFT has, so that nothing of them is lost
(as in Cholesky QR with two passes, Yamamoto and others 2015). For a Jacobian of `helmholtz`, whose singular values
span 17 decades, v is that of a singular value decomposition to 2e-4, for λ from 1e-14 to 1e-20; by Jᵀ J alone it is
off by 0.1 % for λ = 1e-12, 1 % for 1e-13, 13 % for 1e-14, and there is no factor for 1e-15.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.lax.linalg import triangular_solve
from jax.scipy.linalg import cho_factor, cho_solve

from dof.solving.devices import ONE_DEVICE, Devices

GRAM_BLOCKS = 4
"""Blocks of rows in which Jᵀ J is computed up to its diagonal, 10 / 16 of the products: 41 ms instead of 57 for 1500
residuals and 900 parameters on one core. With 8 blocks the products are too narrow, and nothing is gained."""
LEAST_DAMPING, LEAST_DAMPING_OF_ROWS = 1e-18, 1e-14
"""The smallest λ; the second where J Jᵀ is factored, whose coordinates are not changed: points that are fewer than
the parameters are not worth it. Errors (residuals on fresh points) of seeds 0, 1, 2 with 1e-14, without other
coordinates: `helmholtz`, 24 units, 1200 points, 100 steps, 2.6e-7 (4.0e-7), 6.0e-7 (3.4e-7), 1.9e-6 (3.9e-7); `klein-
gordon`, 20 units, 60 steps, 2.8e-10 (2.4e-10), 3.9e-10 (3.0e-10), 2.8e-10 (2.6e-10). With 1e-18: 8.1e-9 (3.5e-8),
9.6e-9 (3.4e-8), 2.5e-7 (2.3e-7) and 1.3e-11 (1.2e-11), 3.9e-10 (3.0e-10), 1.2e-10 (2.4e-11), in the same time. With
1e-20 steps become so long that some trainings go astray for 60 steps."""
SHIFT = 1e-10
"""λ of the change of coordinates: far above the rounding of Jᵀ J, so that q 1 is what λ τ 1 is in the coordinates w."""
SMALL = 4e-13
"""λ below which they are changed; later trials of the step have up to 243 times as large ones, and less than SHIFT.
The change adds 0.3 s to a step with 1,800 residuals and 1,347 parameters on one core, whose Jᵀ J takes 0.13 s.
`helmholtz`, 40 units, 2,600 points, 120 steps, seeds 0 to 4, errors with SMALL 1e-14 and SHIFT 1e-11: 1.2e-10, 4.6e-8,
6.0e-10, 1.1e-9, 4.1e-8 (90 s; 56 s where steps fail); these: 1.3e-10, 4.3e-10, 1.6e-9, 5.6e-10, 2.5e-10 (95 s)."""


def damped_solver(jacobian: Any, damping: Any, devices: Devices = ONE_DEVICE) -> Callable[[Any], Callable[[Any], Any]]:
    """From λ to the function r ↦ (Jᵀ J + λ τ 1)⁻¹ Jᵀ r, by a Cholesky factor of the smaller one of Jᵀ J and J Jᵀ.

    Args:
        jacobian: The device's own rows of J.
        damping: The smallest λ that there will be.
        devices: Over which the rows are divided.
    """
    rows, columns = devices.count * jacobian.shape[0], jacobian.shape[1]
    return _solver_by_rows(jacobian, devices) if rows < columns else _solver_by_columns(jacobian, damping, devices)


def least_damping(jacobian: Any, devices: Devices) -> float:
    """The smallest λ that the solver of a Jacobian is exact with."""
    is_wide = devices.count * jacobian.shape[0] < jacobian.shape[1]
    return LEAST_DAMPING_OF_ROWS if is_wide else LEAST_DAMPING


def _solver_by_rows(jacobian: Any, devices: Devices) -> Callable[[Any], Callable[[Any], Any]]:
    """By a factor of J Jᵀ: (Jᵀ J + λ τ 1)⁻¹ Jᵀ r = Jᵀ (J Jᵀ + λ τ 1)⁻¹ r."""
    # Products of rows are sums over columns: each device multiplies some columns of all rows.
    small = devices.mean(gram(devices.own_columns(jacobian).T))
    tau = jnp.trace(small) / jacobian.shape[1]

    def solver(damping: Any) -> Callable[[Any], Any]:
        factor = _factor(small, damping * tau)
        return lambda r: devices.mean(jacobian.T @ devices.own_rows(cho_solve(factor, devices.all_rows(r))))

    return solver


class _System(NamedTuple):
    """(a · matrix + b 1) w = basisᵀ r with v = root⁻ᵀ w, where a = 1 − λ · less and b = λ · unit."""

    matrix: Any
    basis: Any
    root: Any
    less: Any
    unit: Any


def _solver_by_columns(jacobian: Any, damping: Any, devices: Devices) -> Callable[[Any], Callable[[Any], Any]]:
    """By a factor of Jᵀ J, or of Bᵀ B where λ is small."""
    small, one = devices.mean(gram(jacobian)), jnp.ones((), jacobian.dtype)
    tau = jnp.trace(small) / jacobian.shape[1]

    def plain() -> _System:
        return _System(small, jacobian, jnp.eye(len(small), dtype=small.dtype), 0 * one, tau)

    def in_other_coordinates() -> _System:
        root = jnp.tril(_factor(small, SHIFT * tau)[0])
        basis = triangular_solve(root, jacobian, left_side=False, lower=True, transpose_a=True)
        return _System(devices.mean(gram(basis)), basis, root, one / SHIFT, one / SHIFT)

    system = jax.lax.cond(damping < SMALL, in_other_coordinates, plain)

    def solver(damping: Any) -> Callable[[Any], Any]:
        factor = _factor((1 - damping * system.less) * system.matrix, damping * system.unit)
        return lambda r: _back(system.root, cho_solve(factor, devices.mean(system.basis.T @ r)))

    return solver


def _factor(matrix: Any, shift: Any) -> tuple[Any, bool]:
    """The Cholesky factor of a matrix plus a multiple of 1; nan where it has none."""
    return cho_factor(matrix + shift * jnp.eye(len(matrix), dtype=matrix.dtype), lower=True)


def _back(root: Any, w: Any) -> Any:
    """L⁻ᵀ w."""
    return triangular_solve(root, w[:, None], left_side=True, lower=True, transpose_a=True)[:, 0]


def gram(matrix: Any) -> Any:
    """Mᵀ M, with zeros for most of what is above its diagonal: a Cholesky factorisation reads what is below."""
    ends = [matrix.shape[1] * k // GRAM_BLOCKS for k in range(GRAM_BLOCKS + 1)]
    blocks = [matrix[:, a:b].T @ matrix[:, :b] for a, b in pairwise(ends)]
    return jnp.concatenate([jnp.pad(block, ((0, 0), (0, ends[-1] - block.shape[1]))) for block in blocks])

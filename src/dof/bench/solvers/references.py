"""Reference solutions that no closed form gives, to six digits or more, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_bvp, solve_ivp
from scipy.interpolate import BarycentricInterpolator

Array = np.ndarray


def allen_cahn(points: Array) -> Array:
    """u_t = 0.001 u_xx + 5 (u − u³) with u = −1 at both ends: Chebyshev polynomials in x, an implicit method in t."""
    nodes, inner_values = _allen_cahn_at_nodes()
    interpolator = BarycentricInterpolator(nodes, np.eye(len(nodes)))
    along = np.pad(inner_values(points[:, 1]), ((1, 1), (0, 0)), constant_values=-1)
    return np.einsum("pn,np->p", interpolator(points[:, 0]), along)


@cache
def _allen_cahn_at_nodes() -> tuple[Array, Callable[[Array], Array]]:
    """The nodes, and the function from times to the solution at those inside."""
    nodes, second = _chebyshev(400)
    start = nodes**2 * np.cos(np.pi * nodes)

    def rate(t: float, inner: Array) -> Array:
        u = np.concatenate([[-1], inner, [-1]])
        return 0.001 * (second @ u)[1:-1] + 5 * (inner - inner**3)

    def jacobian(t: float, inner: Array) -> Array:
        return 0.001 * second[1:-1, 1:-1] + np.diag(5 - 15 * inner**2)

    found = solve_ivp(rate, (0, 1), start[1:-1], "Radau", jac=jacobian, rtol=1e-11, atol=1e-12, dense_output=True)
    return nodes, found.sol


def _chebyshev(degree: int) -> tuple[Array, Array]:
    """The extrema of the Chebyshev polynomial of this degree, and the matrix of second derivatives at them."""
    nodes = np.cos(np.pi * np.arange(degree + 1) / degree)
    weights = np.where((np.arange(degree + 1) % degree) == 0, 2.0, 1.0) * (-1.0) ** np.arange(degree + 1)
    differences = nodes[:, None] - nodes + np.eye(degree + 1)
    first = np.outer(weights, 1 / weights) / differences
    first -= np.diag(first.sum(axis=1))
    return nodes, first @ first


def l_shape(points: Array) -> Array:
    """Δu = −1 on an L, zero on its boundary: u = −|x|² / 4 + a harmonic function, fitted at the boundary.

    The harmonic function is a sum of those that the corners ask for: r^{2k/3} cos and sin around the inner corner,
    whose angle is 3π/2, and z² log z around all six, since |x|² / 4 has no smooth harmonic continuation at them. By the
    maximum principle the error inside is no larger than that at the boundary, 1.4e-6, where u is up to 0.15.
    """
    edge = _l_boundary(400)
    coefficients, *_ = np.linalg.lstsq(_harmonic(edge), _quarter(edge), rcond=1e-14)
    return _harmonic(points) @ coefficients - _quarter(points)


CORNERS = np.array([[0, 0], [1, 0], [1, -1], [-1, -1], [-1, 1], [0, 1]], float)


def _quarter(points: Array) -> Array:
    return np.sum(points**2, axis=1) / 4


def _l_boundary(count: int) -> Array:
    """Points on each edge, crowded at its ends."""
    along = (1 - np.cos(np.pi * (np.arange(count) + 0.5) / count)) / 2
    edges = zip(CORNERS, np.roll(CORNERS, -1, axis=0), strict=True)
    return np.concatenate([begin + along[:, None] * (end - begin) for begin, end in edges])


def _harmonic(points: Array) -> Array:
    """Harmonic functions at points, (points, functions)."""
    z = points @ np.array([1, 1j])
    columns = [np.ones(len(z))]
    # Cuts of the logarithms lead out of the L: at the inner corner through the missing square, at 45°.
    log = np.log(z * np.exp(0.75j * np.pi)) - 0.75j * np.pi
    for k in range(1, 121):
        power = np.exp(2 * k / 3 * log)
        columns += [power.real / 2 ** (k / 3), power.imag / 2 ** (k / 3)]
    columns += _parts(z**2 * log)
    for x, y in CORNERS[1:]:
        away = z - (x + 1j * y)
        outward = complex(np.sign(x) or 1, np.sign(y) or 1)
        columns += _parts(away**2 * np.log(-away / outward))
    return np.stack(columns, axis=1)


def _parts(values: Any) -> list[Any]:
    return [values.real, values.imag]


def reaction_rate(x: Array) -> Array:
    """The rate k(x) that is to be found."""
    return 0.1 + np.exp(-0.5 * (x - 0.5) ** 2 / 0.15**2)


@cache
def _concentration() -> Any:
    """u with 0.01 u'' = k u + sin(2πx), u(0) = u(1) = 0."""

    def slope(x: Array, y: Array) -> Array:
        return np.stack([y[1], (reaction_rate(x) * y[0] + np.sin(2 * np.pi * x)) / 0.01])

    grid = np.linspace(0, 1, 100)
    return solve_bvp(
        slope, lambda a, b: np.array([a[0], b[0]]), grid, np.zeros((2, 100)), tol=1e-9, max_nodes=10**5
    ).sol


def measured_concentration(count: int) -> tuple[Array, Array]:
    """Points (count, 1) on [0, 1] and the concentration u there."""
    x = np.linspace(0, 1, count)
    return x[:, None], _concentration()(x)[0]

"""A reference solution of the Allen–Cahn equation: Fourier modes in space, exponential Runge–Kutta steps in time."""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax.numpy as jnp
import numpy as np

MODES, STEPS, KEPT_TIMES = 512, 2000, 200
"""Points in space, steps in time, and times that are kept. With 512 points the highest Fourier modes have amplitudes
of 2·10⁻⁷ at the end, where the interfaces are sharpest."""


@cache
def allen_cahn_grid() -> np.ndarray:
    """Compute u at KEPT_TIMES + 1 times and MODES points of [−1, 1), (KEPT_TIMES + 1, MODES).

    ETDRK4 of Cox and Matthews (2002); its coefficients, quotients that cancel for small h L, by contour integrals, as
    Kassam and Trefethen (2005) do it.
    """
    x = -1 + 2 * np.arange(MODES) / MODES
    wave_numbers = np.pi * np.fft.rfftfreq(MODES, 1 / MODES)
    # The growing part 5 u is linear too and solved exactly; only −5 u³ is left to the Runge–Kutta steps.
    h, linear = 1 / STEPS, -1e-4 * wave_numbers**2 + 5
    whole, half = np.exp(h * linear), np.exp(h * linear / 2)
    # Half of the circle: h L is real, so that the other half has conjugate values, and the mean is the real part.
    roots = np.exp(1j * np.pi * (np.arange(32) + 0.5) / 32)
    z = h * linear[:, None] + roots
    mean = lambda values: h * np.mean(values.real, axis=1)  # noqa: E731
    q = mean((np.exp(z / 2) - 1) / z)
    first = mean((-4 - z + np.exp(z) * (4 - 3 * z + z**2)) / z**3)
    second = mean((2 + z + np.exp(z) * (z - 2)) / z**3)
    third = mean((-4 - 3 * z - z**2 + np.exp(z) * (4 - z)) / z**3)
    cubed = lambda modes: np.fft.rfft(-5 * np.fft.irfft(modes, MODES) ** 3)  # noqa: E731
    modes = np.fft.rfft(x**2 * np.cos(np.pi * x))
    kept = [modes]
    for step in range(STEPS):
        n0 = cubed(modes)
        a = half * modes + q * n0
        na = cubed(a)
        b = half * modes + q * na
        nb = cubed(b)
        nc = cubed(half * a + q * (2 * nb - n0))
        modes = whole * modes + n0 * first + 2 * (na + nb) * second + nc * third
        if (step + 1) % (STEPS // KEPT_TIMES) == 0:
            kept.append(modes)
    return np.fft.irfft(np.array(kept), MODES)


def allen_cahn_solution() -> Callable[..., Any]:
    """The function u(x, t), by cubic polynomials between the points and times of the grid."""

    def solution(x: Any, t: Any) -> Any:
        grid = jnp.asarray(allen_cahn_grid())
        # Space is periodic and its indices wrap around; in time the four points are moved inside at both ends.
        columns, across = _cubic((x + 1) / 2 * MODES, 0, MODES)
        rows, along = _cubic(t * KEPT_TIMES, 1, KEPT_TIMES - 2)
        return along @ grid[rows][:, columns % MODES] @ across

    return solution


def _cubic(place: Any, low: int, high: int) -> tuple[Any, Any]:
    """The indices of four grid points around a place, the second of them in [low, high], and their Lagrange weights."""
    base = jnp.clip(jnp.floor(place).astype(int), low, high)
    s = place - base
    middle = (s + 1) * (s - 2) / 2
    weights = [-s * (s - 1) * (s - 2) / 6, middle * (s - 1), -middle * s, (s + 1) * s * (s - 1) / 6]
    return base + jnp.arange(-1, 3), jnp.stack(weights)

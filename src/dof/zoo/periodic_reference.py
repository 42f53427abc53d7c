"""Reference solutions of periodic equations in one dimension of space, u_t = L u + G(∂x) g(u).

Fourier modes in space, exponential Runge–Kutta steps from one Chebyshev time to the next, and Chebyshev polynomials
between them. The steps are ETDRK4 of Cox and Matthews (2002), whose coefficients,
quotients that cancel for small h L, are means over a circle as in Kassam and Trefethen (2005).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax.numpy as jnp
import numpy as np

FINER = 32
"""Points at which the initial value is read, for each point of the grid: Fourier modes of a value with a kink decay
like 1 / k², and those beyond the grid would be taken for lower ones."""


@dataclass(frozen=True, eq=False)
class PeriodicReference:
    """The solution u(x, t) of F[u]_t = linear(k) F[u] + outer(k) F[inner(u)], with F the Fourier transform in x.

    Args:
        linear: The symbol of L, a function of the wave numbers k.
        outer: The symbol of G, a function of the wave numbers.
        inner: The function g of u.
        initial: u at t = 0, periodic, a NumPy function of x.
        ends: Of the interval in space, which is one period.
        duration: The last time; the first is 0.
        points: In space.
        steps: In time, at least; there is at least one between two Chebyshev times.
        degree: Of the polynomials in time. Chebyshev times crowd at the start, where fast modes decay: with 200 of them
            e^{−ct} is resolved to rounding up to about c = 1000 / duration.
    """

    linear: Callable[[np.ndarray], Any]
    outer: Callable[[np.ndarray], Any]
    inner: Callable[[np.ndarray], Any]
    initial: Callable[[np.ndarray], Any]
    ends: tuple[float, float]
    duration: float
    points: int
    steps: int
    degree: int = 200

    def __call__(self, x: Any, t: Any) -> Any:
        """The solution at one point; derivatives in t are nan at the first and at the last time."""
        angles = self.wave_numbers * (x - self.ends[0])
        # T_k(τ) = cos(k arccos τ)
        polynomials = jnp.cos(np.arange(self.degree + 1) * jnp.arccos(2 * t / self.duration - 1))
        return polynomials @ jnp.asarray(self.coefficients) @ jnp.concatenate([jnp.cos(angles), jnp.sin(angles)])

    @property
    def wave_numbers(self) -> np.ndarray:
        """The wave numbers from 0 to the highest that the grid has, (points / 2 + 1,)."""
        low, high = self.ends
        return 2 * np.pi / (high - low) * np.arange(self.points // 2 + 1)

    @cached_property
    def coefficients(self) -> np.ndarray:
        """Of the Chebyshev polynomials times the cosines and the sines, (degree + 1, points + 2)."""
        # A real function has each mode twice, k and −k, but for k = 0 and for the highest one, which is its own mirror.
        twice = np.full(self.points // 2 + 1, 2.0)
        twice[[0, -1]] = 1.0
        modes = self._modes() * twice
        return _chebyshev_coefficients(np.concatenate([np.real(modes), -np.imag(modes)], axis=1))

    def _modes(self) -> np.ndarray:
        """Fourier modes at the Chebyshev times from 0 to the last, (degree + 1, points / 2 + 1)."""
        fine, (low, high) = self.points * FINER, self.ends
        start = np.fft.rfft(self.initial(low + (high - low) * np.arange(fine) / fine), norm="forward")
        found = [start[: self.points // 2 + 1]]
        for gap in np.diff(_chebyshev_nodes(self.degree) + 1) / 2:
            modes, n = found[-1], int(np.ceil(gap * self.steps))
            step = self._step(gap * self.duration / n)
            for _ in range(n):
                modes = step(modes)
            found.append(modes)
        return np.array(found)

    def _step(self, h: float) -> Callable[[np.ndarray], np.ndarray]:
        """One step of ETDRK4, from the modes to those a time h later."""
        linear, outer = h * self.linear(self.wave_numbers), self.outer(self.wave_numbers)
        whole, half = np.exp(linear), np.exp(linear / 2)
        q, first, second, third = _coefficients(linear, h)

        def rate(modes: np.ndarray) -> np.ndarray:
            values = np.fft.irfft(modes, self.points, norm="forward")
            return outer * np.fft.rfft(self.inner(values), norm="forward")

        def step(modes: np.ndarray) -> np.ndarray:
            n0 = rate(modes)
            a = half * modes + q * n0
            na = rate(a)
            nb = rate(half * modes + q * na)
            nc = rate(half * a + q * (2 * nb - n0))
            return whole * modes + n0 * first + 2 * (na + nb) * second + nc * third

        return step


def _coefficients(linear: np.ndarray, h: float) -> tuple[np.ndarray, ...]:
    """The coefficients of ETDRK4, each a mean over a circle around h L."""
    z = linear[:, None] + np.exp(2j * np.pi * (np.arange(64) + 0.5) / 64)
    of_circle = [
        (np.exp(z / 2) - 1) / z,
        (-4 - z + np.exp(z) * (4 - 3 * z + z**2)) / z**3,
        (2 + z + np.exp(z) * (z - 2)) / z**3,
        (-4 - 3 * z - z**2 + np.exp(z) * (4 - z)) / z**3,
    ]
    return tuple(h * np.mean(values, axis=1) for values in of_circle)


def _chebyshev_nodes(degree: int) -> np.ndarray:
    """The extrema of the polynomial of this degree, from −1 to 1."""
    return -np.cos(np.pi * np.arange(degree + 1) / degree)


def _chebyshev_coefficients(values: np.ndarray) -> np.ndarray:
    """Of the polynomials through values at the nodes, column by column."""
    # A cosine transform: over whole periods it is a Fourier transform of the values and their mirror image.
    turned = np.concatenate([values[::-1], values[1:-1]])
    found = np.fft.rfft(turned, axis=0, norm="forward").real
    found[1:-1] *= 2
    return found

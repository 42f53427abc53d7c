"""Time and parameters: intervals whose ends are no boundary."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from dof.errors import ArgumentError, describe, shown
from dof.pde.geometry.box import Interval
from dof.pde.geometry.domain import Domain


class Unbounded(Interval):
    """An interval whose ends are no boundary: time, or a parameter."""

    piece_count = 0

    def __init__(self, low: float, high: float) -> None:
        super().__init__(low, high)
        self.piece_count, self.area_per_volume = 0, 0.0

    def distance(self, z: Any) -> Any:
        """1 everywhere: there is no boundary."""
        return jnp.ones((), z.dtype)

    def signed_distance(self, z: Any) -> Any:
        """1 everywhere: there is no boundary."""
        return jnp.ones((), z.dtype)


class Time(Unbounded):
    """start ≤ t ≤ end. Time has a start, but no boundary on which boundary conditions hold.

    Args:
        start: When initial conditions hold.
        end: The last time.
        crowded: A time of the order of the fastest change after the start, for solutions that change much faster there
            than later. The equation is then fitted at points drawn evenly in log(1 + (t − start) / crowded).

    Examples:
        >>> import numpy as np
        >>> from dof import pde
        >>> domain = pde.Interval(0, 1) * pde.Time(0, 2)
        >>> points, normals = domain.edge(np.random.default_rng(0).random((100, domain.edge_uniforms)))
        >>> print(np.unique(points[:, 0]), len(np.unique(points[:, 1])))  # x at its ends, t anywhere
        [0. 1.] 100
        >>> print(pde.Time(0, 99, crowded=1.0).collocation(np.array([[0.0], [0.5], [1.0]])).ravel())
        [ 0.  9. 99.]
    """

    _example = "pde.Time(0, 1)"

    def __init__(self, start: float, end: float, crowded: float | None = None) -> None:
        super().__init__(start, end)
        if crowded is not None and not (np.isfinite(crowded) and crowded > 0):
            fix = "pde.Time(0, 1, crowded=0.01)"
            raise ArgumentError(describe("crowded", f"is {shown(crowded)}", "a positive time, or None", fix))
        self.crowded = crowded

    def collocation(self, unit: np.ndarray) -> np.ndarray:
        """The times of uniform numbers, evenly or crowded at the start."""
        if self.crowded is None:
            return self.inside(unit)
        grown = np.expm1(unit * np.log1p(self.sides / self.crowded))
        # At most the end, which rounding may exceed.
        return np.minimum(self.low + self.crowded * grown, self.high)

    def in_window(self, start: float, end: float) -> Domain:
        """Time from `start` to `end`, crowded as the whole is."""
        return Time(start, end, self.crowded)

    @property
    def is_time(self) -> np.ndarray:
        """True for the one coordinate."""
        return np.ones(1, bool)


class Parameter(Unbounded):
    """low ≤ k ≤ high, for a number that the equation depends on: one training then solves it for all k.

    A parameter has no boundary, and is no space: `u.laplacian`, `u.gradient`, `pde.div` and normals leave it out.

    Args:
        low: The lowest value.
        high: The highest value.

    Examples:
        >>> from dof import pde
        >>> diffusion = pde.residual("x k")(lambda u, x, k: k * u.laplacian + 1)
        >>> family = pde.Problem(diffusion, pde.Interval(0, 1) * pde.Parameter(0.1, 2), [pde.dirichlet(0.0, hard=True)])
        >>> u = family.equation(lambda z: z[0] ** 2 * z[1] ** 3)  # ∂²/∂x² of it is 2 k³
        >>> print(u([0.5, 1.0]))
        3.0
    """

    _example = "pde.Parameter(0.1, 2)"

    def __init__(self, low: float, high: float) -> None:
        super().__init__(low, high)

    @property
    def is_parameter(self) -> np.ndarray:
        """True for the one coordinate."""
        return np.ones(1, bool)

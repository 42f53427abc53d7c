"""Solitons: waves that keep their shape, and come out of a collision as they went in."""

import jax
import numpy as np
from jax.nn import softmax
from jax.numpy import tanh

from dof import pde

LOW, HIGH, START, END = -8.0, 8.0, -1.0, 1.0


def korteweg_de_vries() -> pde.Problem:
    """The Korteweg–de Vries equation, a soliton that overtakes another: u_t + 6 u u_x + u_xxx = 0."""
    # τ = Σ_j exp(s_j x − ω_j t + c_j) over no soliton, each of the two (s = 1 and 2, ω = s³), and both (sums).
    slopes, rates = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 8.0, 9.0])
    # The term of both has the factor ((2 − 1) / (2 + 1))²; moved to the single ones, the solitons meet in (0, 0).
    shifts = np.log(3.0) * np.array([0.0, 1.0, 1.0, 0.0])

    def exact(x, t):
        """2 ∂²(log τ)/∂x² (Hirota 1971): twice the variance of the slopes s_j, weighted by the terms of τ."""
        share = softmax(slopes * x - rates * t + shifts)
        return 2 * share @ (slopes - share @ slopes) ** 2

    def edges(x, t):
        """The parabola in x with the values of the solution at both ends and its slope at the upper one."""
        upper, slope = jax.value_and_grad(exact)(HIGH, t)
        along = (HIGH - x) / (HIGH - LOW)
        fall = slope * (HIGH - LOW)
        return upper - fall * along + (exact(LOW, t) - upper + fall) * along**2

    def ansatz(n, x, t):
        """Given by construction: u at the start and at both ends, and u_x at the upper end, where no wave leaves."""
        # About one away from the start and the ends: a polynomial would ask the network for large values near them.
        free = tanh(3 * (t - START) / (END - START)) * tanh(x - LOW) * tanh(HIGH - x) ** 2
        return exact(x, START) + edges(x, t) - edges(x, START) + free * n

    @pde.residual("x t")
    def korteweg_de_vries(u, x, t):
        return u.t + 6 * u * u.x + u.xxx

    return pde.Problem(
        korteweg_de_vries,
        pde.Interval(LOW, HIGH) * pde.Time(START, END),
        reference=exact,
        ansatz=ansatz,
        recipe={"width": 20, "depth": 3, "points": 2500, "adam": 0, "newton": 150, "adaptive": True},
    )

"""A front of the Fisher–KPP equation, u_t = u_xx + u (1 − u), over a long time, in windows of time."""

from jax.numpy import exp, sqrt

import dof
from dof import pde


@pde.residual("x t")
def long_time(u, x, t):
    return u.t - u.xx - u * (1 - u)


exact = lambda x, t: (1 + exp(x / sqrt(6) - 5 * t / 6)) ** -2  # noqa: E731  # Ablowitz and Zeppetella (1979)

problem = pde.Problem(
    long_time,
    pde.Interval(-20, 40) * pde.Time(0, 12),
    [pde.dirichlet(exact, hard=True), pde.initial(exact, hard=True)],
    reference=exact,
    recipe={"width": 16, "newton": 80, "adam": 20},
)


def solve(**settings):
    """Four windows of time, each from the end of the one before."""
    return dof.solve(problem, windows=4, **settings)

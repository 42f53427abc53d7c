"""A front of the Fisher–KPP equation, u_t = u_xx + u (1 − u), over a long time, in windows of time."""

from jax.numpy import exp, sqrt

from dof import pde


@pde.residual("x t")
def long_time(u, x, t):
    return u.t - u.xx - u * (1 - u)


exact = lambda x, t: (1 + exp(x / sqrt(6) - 5 * t / 6)) ** -2  # noqa: E731  # Ablowitz and Zeppetella (1979)

# The values at both ends, and a straight line between them, since a hard condition is also evaluated inside.
ends = lambda x, t: ((40 - x) * exact(-20.0, t) + (x + 20) * exact(40.0, t)) / 60  # noqa: E731

problem = pde.Problem(
    long_time,
    pde.Interval(-20, 40) * pde.Time(0, 12),
    [pde.dirichlet(ends, hard=True), pde.initial(exact, hard=True)],
    reference=exact,
    recipe={"windows": 4, "width": 16, "newton": 80, "adam": 20},
)

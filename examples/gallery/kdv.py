"""The Korteweg–de Vries equation: a soliton on a periodic line, u_t + 6 u u_x + u_xxx = 0."""

from jax.numpy import cosh

from dof import pde


@pde.residual("x t")
def kdv(u, x, t):
    return u.t + 6 * u * u.x + u.xxx


K = 1.2
exact = lambda x, t: 2 * K**2 / cosh(K * (x + 2 - 4 * K**2 * t)) ** 2  # noqa: E731

problem = pde.Problem(
    kdv,
    pde.Interval(-10, 10) * pde.Time(0, 0.8),
    [pde.periodic("x", hard=True), pde.initial(exact, hard=True)],
    reference=exact,
    recipe={"width": 20, "depth": 3, "points": 2000, "newton": 200, "report": 25, "adaptive": True},
)

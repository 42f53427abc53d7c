"""A family of equations in one training: −ε u'' + u' = 1 with u = 0 at both ends, for all ε from 0.05 to 1."""

from jax.numpy import exp, expm1

from dof import pde


@pde.residual("x eps")
def family(u, x, eps):
    return -eps * u.xx + u.x - 1


problem = pde.Problem(
    family,
    pde.Interval(0, 1) * pde.Parameter(0.05, 1),
    [pde.dirichlet(0.0, hard=True)],
    reference=lambda x, eps: x - (exp((x - 1) / eps) - exp(-1 / eps)) / -expm1(-1 / eps),
    recipe={"newton": 150, "chebyshev": True},
)

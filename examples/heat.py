"""The heat equation, solved by a small network, in the notation of a textbook."""

import jax.numpy as jnp
from jax.numpy import exp, pi, sin

import dof
from dof import pde


@pde.residual("x t")
def heat(u, x, t):
    return u.t - u.xx - (pi**2 - 1) * exp(-t) * sin(pi * x)


problem = pde.Problem(
    heat,
    pde.Interval(0, 1) * pde.Time(0, 1),
    [pde.dirichlet(0.0, hard=True), pde.initial(lambda x, t: sin(pi * x), hard=True)],
    reference=lambda x, t: exp(-t) * sin(pi * x),
)

if __name__ == "__main__":
    print(heat.plan)
    solution = dof.solve(problem, adam=20, newton=20, on_report=lambda r: print(f"step {r.step}: error {r.error:.1e}"))
    print(solution, solution(jnp.array([0.5, 1.0])))
    assert solution.error < 1e-4

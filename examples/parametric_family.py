"""One training for a whole family: the layer −k u'' + u' = 1 for every k from 0.2 to 1, and ∂u/∂k with it."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

import dof
from dof import pde


@pde.residual("x k")
def layer(u, x, k):
    return -k * u.xx + u.x - 1


def exact(x, k):
    return x - (jnp.exp((x - 1) / k) - jnp.exp(-1 / k)) / (1 - jnp.exp(-1 / k))


problem = pde.Problem(
    layer,
    pde.Interval(0, 1) * pde.Parameter(0.2, 1.0),
    [pde.dirichlet(0.0, hard=True)],
    reference=exact,
)

if __name__ == "__main__":
    newton = int(sys.argv[1]) if sys.argv[1:] else 100
    solution = dof.solve(problem, adam=20, newton=newton, width=16)
    x = jnp.linspace(0, 1, 100)
    sensitivity = jax.vmap(jax.grad(exact, argnums=1), (0, None))
    print("   k   error of u   error of ∂u/∂k")
    for k in (0.2, 0.35, 0.6, 1.0):
        of_u = np.abs(np.asarray(solution(x, k)) - np.asarray(exact(x, k))).max()
        of_slope = np.abs(np.asarray(solution.d("k")(x, k)) - np.asarray(sensitivity(x, k))).max()
        print(f"{k:5}   {of_u:10.1e}   {of_slope:14.1e}")
    assert solution.error < (1e-4 if newton >= 100 else 1e-2)

"""Eigenvalues of Mathieu's equation, −u'' + 2 q cos(2x) u = λ u on (0, π), for q = 5."""

import numpy as np
from jax.numpy import cos
from scipy.special import mathieu_b

from dof import pde, solving

Q = 5.0


@pde.residual("x")
def mathieu(u, x, *, energy):
    return -u.xx + 2 * Q * cos(2 * x) * u - energy * u


problem = pde.Problem(mathieu, pde.Interval(0, np.pi), [pde.dirichlet(0.0, hard=True)], unknowns={"energy": 9.0})
exact = [float(mathieu_b(k, Q)) for k in (1, 2, 3, 4)]


def solve(**settings):
    """The four lowest pairs."""
    return solving.eigenpairs(problem, 4, **({"width": 24, "adam": 0, "newton": 80} | settings))

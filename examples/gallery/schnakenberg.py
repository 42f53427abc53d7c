"""The Schnakenberg equations, a pattern of two substances between walls: u_t = Δu / 20 + γ (a − u + u² v), …"""

import jax.numpy as jnp
import numpy as np
from numpy.polynomial import chebyshev
from scipy.integrate import solve_ivp

from dof import pde

A, B, GAMMA, END, MODES, DEGREE = 0.1, 0.9, 4.0, 1.0, 16, 40


@pde.residual("x y t", fields="u v")
def schnakenberg(u, v, x, y, t):
    react = u**2 * v
    return u.t - u.laplacian / 20 - GAMMA * (A - u + react), v.t - v.laplacian - GAMMA * (B - react)


def start(x, y, t):
    return 1 + 0.2 * jnp.cos(jnp.pi * x) * jnp.cos(2 * jnp.pi * y), 0.9 + 0.1 * jnp.cos(jnp.pi * y)


def cosine_solution():
    """Coefficients (times, 2, MODES, MODES) of T_k(2t − 1) cos(iπx) cos(jπy), by collocation and SciPy's DOP853."""
    k, grid = np.arange(MODES), (np.arange(MODES) + 0.5) / MODES
    values = np.cos(np.pi * np.outer(grid, k))
    modes = np.linalg.inv(values)
    decay = np.pi**2 * (k[:, None] ** 2 + k**2) * np.array([1 / 20, 1])[:, None, None]

    def rate(t, flat):
        c = flat.reshape(2, MODES, MODES)
        u, v = values @ c @ values.T
        source = GAMMA * np.stack([A - u + u**2 * v, B - u**2 * v])
        return (modes @ source @ modes.T - decay * c).ravel()

    first = np.stack(np.broadcast_arrays(*map(np.asarray, start(grid[:, None], grid[None, :], 0.0))))
    times = (chebyshev.chebpts2(DEGREE + 1) + 1) / 2 * END
    found = solve_ivp(rate, (0, END), (modes @ first @ modes.T).ravel(), "DOP853", times, rtol=1e-10, atol=1e-12)
    return chebyshev.chebfit(2 * times / END - 1, found.y.T, DEGREE).reshape(-1, 2, MODES, MODES)


COEFFICIENTS = cosine_solution()


def exact(x, y, t):
    k = np.arange(MODES)
    in_time = jnp.cos(np.arange(DEGREE + 1) * jnp.arccos(2 * t / END - 1))
    c = jnp.tensordot(in_time, COEFFICIENTS, 1)
    return jnp.cos(jnp.pi * k * x) @ c @ jnp.cos(jnp.pi * k * y)


problem = pde.Problem(
    schnakenberg,
    pde.Box([0, 0], [1, 1]) * pde.Time(0, END),
    [pde.neumann(0.0), pde.initial(start, hard=True)],
    reference=exact,
    recipe={"width": 24, "newton": 150},
)

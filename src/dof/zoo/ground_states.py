"""Ground states: eigenfunctions, normalised to u(0) = 1, together with their energies."""

import jax.numpy as jnp
import numpy as np

from dof import pde

# Eigenfunctions are known up to a factor, and u = 0 solves the equation: a value at the origin excludes both.
ORIGIN = np.zeros((1, 3))


def harmonic_oscillator() -> pde.Problem:
    """The ground state of the harmonic oscillator: −½ Δu + ½ |x|² u = E u."""

    @pde.residual("x[3]")
    def harmonic_oscillator(u, x, *, energy):
        return -u.laplacian / 2 + (x @ x / 2 - energy) * u

    return pde.Problem(
        harmonic_oscillator,
        # The solution goes on outside: on this sphere it is 4e-6, not zero.
        pde.Ball([0, 0, 0], 5.0, crowded=True),
        [pde.data(ORIGIN, [1.0]), pde.dirichlet(float(np.exp(-(5.0**2) / 2)), hard=True)],
        reference=lambda x: jnp.exp(-x @ x / 2),
        unknowns={"energy": 1.2},
        truth={"energy": 1.5},
        ansatz=lambda n, x: (1 + n) * jnp.exp(-x @ x / 4),
        recipe={"newton": 100},
    )


def hydrogen() -> pde.Problem:
    """The ground state of the hydrogen atom: −½ Δu − u / |x| = E u."""

    def radius(x):
        return jnp.sqrt(x @ x)

    @pde.residual("x[3]")
    def hydrogen(u, x, *, energy):
        # Multiplied by |x|, so that the potential stays finite at the origin.
        return radius(x) * (-u.laplacian / 2 - energy * u) - u

    return pde.Problem(
        hydrogen,
        # The solution goes on outside: on this sphere it is 6e-6, not zero.
        pde.Ball([0, 0, 0], 12.0, crowded=True),
        # Not at the origin itself, where the derivative of √(x·x) is nan.
        [pde.data(ORIGIN + 1e-9, [1.0]), pde.dirichlet(float(np.exp(-12.0)), hard=True)],
        reference=lambda x: jnp.exp(-radius(x)),
        unknowns={"energy": -0.4},
        truth={"energy": -0.5},
        # |x| is given to the network, since a smooth function of x has no cusp at the origin.
        features=lambda x: jnp.concatenate([x / 12, radius(x)[None] / 12]),
        ansatz=lambda n, x: (1 + n) * jnp.exp(-radius(x) / 2),
        recipe={"newton": 100},
    )

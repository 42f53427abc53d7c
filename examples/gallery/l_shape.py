"""Poisson's equation on an L-shape, Δu = −1 with u = 0 on the boundary: singular at the corner that points inwards."""

import jax.numpy as jnp
import numpy as np

from dof import pde


@pde.residual("x y")
def l_shape(u, x, y):
    return u.laplacian + 1


domain = pde.Box([-1, -1], [1, 1]) - pde.Box([0, 0], [1, 1])

OUTER = np.array([-1 + 1j, -1 - 1j, 1 - 1j, 1, 1j])
"""The corners that point outwards."""


def harmonic(x, y):
    """Harmonic functions, analytic or singular at one corner each: z^k, z^(2k/3), and (z − corner)² log(z − corner)."""
    z = x + 1j * y
    turned = z * jnp.exp(-1.25j * jnp.pi)  # the cut of the logarithm goes through the missing quarter
    inner = jnp.exp(2 / 3 * np.array([k for k in range(1, 40) if k % 3]) * jnp.log(turned))
    middles = np.exp(1j * np.pi * np.array([-0.25, 0.25, 0.75, 0.75, -0.75]))  # from corners into the domain
    away = z - OUTER
    functions = jnp.concatenate([z ** np.arange(15), inner, away**2 * jnp.log(away / middles)])
    return jnp.concatenate([functions.real, functions.imag])


def fitted():
    """Coefficients with which −(x² + y²) / 4 + harmonic functions is zero on the boundary, by least squares."""
    s = (1 - np.cos(np.pi * (np.arange(200) + 0.5) / 200)) / 2
    vertices = np.array([*OUTER[:4], 0, OUTER[4]])
    z = np.concatenate([a + s * (b - a) for a, b in zip(vertices, np.roll(vertices, -1), strict=True)])
    basis = np.stack([np.asarray(harmonic(point.real, point.imag)) for point in z])
    return np.linalg.lstsq(basis, np.abs(z) ** 2 / 4, rcond=1e-13)[0]


COEFFICIENTS = fitted()

problem = pde.Problem(
    l_shape,
    domain,
    [pde.dirichlet(0.0, hard=True)],
    features=domain.corner_features,
    reference=lambda x, y: harmonic(x, y) @ COEFFICIENTS - (x**2 + y**2) / 4,
    recipe={"width": 24, "newton": 150},
)

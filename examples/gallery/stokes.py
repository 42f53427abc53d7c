"""Slow flow around a cylinder (Stokes): −Δv + grad p = 0, div v = 0."""

import jax
from jax.numpy import concatenate, log, stack

from dof import pde


@pde.residual("x y", fields="v[2] p")
def stokes(v, p, x, y):
    return -pde.laplacian(v) + pde.grad(p), pde.div(v)


def stream(x, y):
    """ψ = (ρ log ρ − ρ / 2 + 1 / (2ρ)) sin θ with ρ = 2 r: no flow through the cylinder r = 1/2, and no slip there."""
    square = 4 * (x**2 + y**2)
    return y * (log(square) - 1 + 1 / square)


def exact(x, y):
    d_x, d_y = jax.grad(stream, (0, 1))(x, y)
    return stack([d_y, -d_x]), -4 * x / (x**2 + y**2)


velocity = lambda x, y: exact(x, y)[0]  # noqa: E731
pressure = lambda x, y: exact(x, y)[1]  # noqa: E731

problem = pde.Problem(
    stokes,
    pde.Box([-2, -2], [2, 2]) - pde.Ball([0, 0], 0.5).named("cylinder"),
    [
        pde.dirichlet(0.0, on="cylinder", field="v", hard=True),
        pde.dirichlet(velocity, on=["x=-2", "x=2", "y=-2", "y=2"], field="v"),
        pde.dirichlet(pressure, on="x=2", field="p"),
    ],
    reference=exact,
    # A point and its mirror image in the cylinder, in which flow around it is smooth on one scale.
    features=lambda z: concatenate([z / 2, z / (2 * z @ z)]),
    recipe={"width": 24, "newton": 200, "edge_points": 400},
)

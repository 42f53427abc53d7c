"""A harmonic function on a disk, with three kinds of conditions on three arcs."""

from jax.numpy import cos, exp, sin

from dof import pde


@pde.residual("x y")
def disk(u, x, y):
    return u.laplacian


exact = lambda x, y: exp(x) * cos(y)  # noqa: E731
slope = lambda x, y: exp(x) * (x * cos(y) - y * sin(y))  # noqa: E731  # along the normal (x, y)

problem = pde.Problem(
    disk,
    pde.Ball([0, 0], 1.0),
    [
        pde.dirichlet(exact, on=lambda x, y: x < 0),
        pde.neumann(slope, on=lambda x, y: x > 0 and y > 0),
        pde.robin(1.0, 2.0, lambda x, y: exact(x, y) + 2 * slope(x, y), on=lambda x, y: x > 0 and y < 0),
    ],
    reference=exact,
    recipe={"newton": 100},
)

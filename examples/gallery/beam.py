"""A cantilever of varying stiffness under load, ((1 + x) w'')'' = 1: clamped on the left, free on the right."""

from jax.numpy import log

from dof import pde


@pde.residual("x")
def beam(w, x):
    return (1 + x) * w.xxxx + 2 * w.xxx - 1


clamped = pde.residual("x")(lambda w, x: w.x)
free = pde.residual("x")(lambda w, x: (w.xx, w.xxx))


def exact(x):
    """From the moment (1 + x) w'' = (1 − x)² / 2, integrated twice."""
    s = 1 + x
    return (s**3 / 6 - 2 * s**2 + 4 * s * log(s) - 4 * s - (1 / 6 - 2 - 4) - (1 / 2 - 4) * x) / 2


problem = pde.Problem(
    beam,
    pde.Interval(0, 1),
    [pde.dirichlet(0.0, on="x=0", hard=True), pde.on("x=0", clamped), pde.on("x=1", free)],
    reference=exact,
    recipe={"width": 16, "adam": 0, "newton": 60, "points": 400},
)

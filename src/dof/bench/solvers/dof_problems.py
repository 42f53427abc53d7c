"""The problems of `dof bench solvers` as `dof.pde` has them, to be solved by `dof.solve(problem)` with all defaults."""

from __future__ import annotations

from jax.numpy import cos, exp, pi, sin

from dof import pde
from dof.bench.solvers.references import measured_concentration


def klein_gordon() -> pde.Problem:
    """u_tt − u_xx + u² = f for ten units of time."""

    @pde.residual("x t")
    def klein_gordon(u, x, t):
        return u.tt - u.xx + u**2 + x * cos(t) - x**2 * cos(t) ** 2

    exact = lambda x, t: x * cos(t)  # noqa: E731
    # Not hard: values of the boundary, continued into the domain, are the solution of this equation.
    conditions = [pde.dirichlet(exact), pde.initial(exact), pde.initial_velocity(0.0)]
    return pde.Problem(klein_gordon, pde.Interval(-1, 1) * pde.Time(0, 10), conditions)


def burgers() -> pde.Problem:
    """u_t + u u_x = (0.01 / π) u_xx, with a shock."""

    @pde.residual("x t")
    def burgers(u, x, t):
        return u.t + u * u.x - 0.01 / pi * u.xx

    start = pde.initial(lambda x, t: -sin(pi * x), hard=True)
    return pde.Problem(burgers, pde.Interval(-1, 1) * pde.Time(0, 0.99), [pde.dirichlet(0.0, hard=True), start])


def diffusion() -> pde.Problem:
    """u_t = u_xx + f."""

    @pde.residual("x t")
    def diffusion(u, x, t):
        return u.t - u.xx + exp(-t) * (1 - pi**2) * sin(pi * x)

    start = pde.initial(lambda x, t: sin(pi * x), hard=True)
    return pde.Problem(diffusion, pde.Interval(-1, 1) * pde.Time(0, 1), [pde.dirichlet(0.0, hard=True), start])


def allen_cahn() -> pde.Problem:
    """u_t = 0.001 u_xx + 5 (u − u³), whose phases separate."""

    @pde.residual("x t")
    def allen_cahn(u, x, t):
        return u.t - 0.001 * u.xx - 5 * (u - u**3)

    start = pde.initial(lambda x, t: x**2 * cos(pi * x), hard=True)
    return pde.Problem(allen_cahn, pde.Interval(-1, 1) * pde.Time(0, 1), [pde.dirichlet(-1.0, hard=True), start])


def helmholtz() -> pde.Problem:
    """Δu + k² u = −f with two waves in each direction."""
    k = 4 * pi

    @pde.residual("x y")
    def helmholtz(u, x, y):
        return u.laplacian + k**2 * u + k**2 * sin(k * x) * sin(k * y)

    return pde.Problem(helmholtz, pde.Box([0, 0], [1, 1]), [pde.dirichlet(0.0, hard=True)])


def l_shape() -> pde.Problem:
    """Δu = −1 where the boundary has a corner to the inside."""

    @pde.residual("x y")
    def l_shape(u, x, y):
        return u.laplacian + 1

    corners = [[0, 0], [1, 0], [1, -1], [-1, -1], [-1, 1], [0, 1]]
    return pde.Problem(l_shape, pde.Polygon(corners), [pde.dirichlet(0.0, hard=True)])


def reaction_rate() -> pde.Problem:
    """0.01 u'' = k(x) u + sin(2πx), with the rate k to be found from values of u."""

    @pde.residual("x", fields="u k")
    def reaction_rate(u, k, x):
        return 0.01 * u.xx - k * u - sin(2 * pi * x)

    points, values = measured_concentration(100)
    conditions = [pde.dirichlet(0.0, field="u"), pde.data(points, values, field="u")]
    return pde.Problem(reaction_rate, pde.Interval(0, 1), conditions)

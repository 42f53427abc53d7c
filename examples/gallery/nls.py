"""The nonlinear Schrödinger equation with a complex field: two solitons that breathe, ψ(x, 0) = 2 / cosh x."""

from jax.numpy import cos, cosh, exp

from dof import pde


@pde.residual("x t", fields="psi: complex")
def nls(psi, x, t):
    return 1j * psi.t + psi.xx / 2 + abs(psi) ** 2 * psi


def exact(x, t):
    """Satsuma and Yajima (1974)."""
    above = 4 * exp(0.5j * t) * (cosh(3 * x) + 3 * exp(4j * t) * cosh(x))
    return above / (cosh(4 * x) + 4 * cosh(2 * x) + 3 * cos(4 * t))


problem = pde.Problem(
    nls,
    pde.Interval(-5, 5) * pde.Time(0, 0.8),
    [pde.dirichlet(lambda x, t: exact(5.0, t), hard=True), pde.initial(exact, hard=True)],
    reference=exact,
    recipe={"width": 24, "depth": 3, "newton": 200, "report": 25, "adaptive": True},
)

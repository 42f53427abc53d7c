"""Advection and diffusion: with coefficients that vary, with a full diffusion tensor, and a Fokker–Planck equation."""

import jax.numpy as jnp
import numpy as np
from jax.numpy import cos, exp, pi, sin

import dof
from dof import pde


def advection_diffusion() -> pde.Problem:
    """Advection by a whirl and diffusion with a variable coefficient: u_t + w·∇u = ∇·(k ∇u) + f."""

    def source(x, y, t):
        # of e^{−t} sin(πx) sin(πy), with w = (½ − y, x − ½) and k = (2 + x y) / 10
        s, sx, sy = sin(pi * x) * sin(pi * y), pi * cos(pi * x) * sin(pi * y), pi * sin(pi * x) * cos(pi * y)
        flux = (0.5 - y) * sx + (x - 0.5) * sy - y / 10 * sx - x / 10 * sy + (2 + x * y) / 10 * 2 * pi**2 * s
        return exp(-t) * (flux - s)

    @pde.residual("x y t")
    def advection_diffusion(u, x, y, t):
        k = (2 + x * y) / 10
        carried = (0.5 - y) * u.x + (x - 0.5) * u.y
        spread = k * (u.xx + u.yy) + y / 10 * u.x + x / 10 * u.y
        return u.t + carried - spread - source(x, y, t)

    return pde.Problem(
        advection_diffusion,
        pde.Box([0, 0], [1, 1]) * pde.Time(0, 1),
        [
            pde.dirichlet(0.0, hard=True),
            pde.initial(lambda x, y, t: sin(pi * x) * sin(pi * y), hard=True),
        ],
        reference=lambda x, y, t: exp(-t) * sin(pi * x) * sin(pi * y),
        recipe={"newton": 40},
    )


def anisotropic() -> pde.Problem:
    """Anisotropic diffusion in a cube: Σ a_ij(x) ∂²u/∂x_i∂x_j = f, with a full matrix at each point."""

    def tensor(x):
        """1 + v vᵀ + ½ w wᵀ."""
        v, w = sin(x), cos(jnp.roll(x, 1))
        return jnp.eye(3) + jnp.outer(v, v) + jnp.outer(w, w) / 2

    operator = dof.Operator(a=tensor)

    def exact(x):
        return jnp.prod(sin(pi * x)) * exp(x[0] / 2)

    @pde.residual("x[3]")
    def anisotropic(u, x, *, f):
        return u.apply(operator) - f

    return pde.Problem(
        anisotropic,
        pde.Box([0] * 3, [1] * 3),
        [pde.dirichlet(0.0, hard=True)],
        reference=exact,
        # By dof itself instead of by hand; the test of the zoo compares it with nested differentiation.
        given={"f": operator(exact)},
        recipe={"newton": 40},
    )


def fokker_planck() -> pde.Problem:
    """The Fokker–Planck equation of a swirling Ornstein–Uhlenbeck process: p_t = ∇·(M x p) + Σ d_ij ∂²p/∂x_i∂x_j."""
    drift = np.array([[1.0, -1.0], [1.0, 1.0]])
    spread = np.array([[0.5, 0.1], [0.1, 0.3]])
    mean, width = np.array([1.0, 0.0]), 0.5

    # the covariance that stays: M S + S Mᵀ = 2 D, written out for the entries of S
    both_sides = np.kron(drift, np.eye(2)) + np.kron(np.eye(2), drift)
    still = np.linalg.solve(both_sides, 2 * spread.ravel()).reshape(2, 2)

    def exact(x, y, t):
        """A Gaussian: its mean is e^{−Mt} m, and its covariance solves S' = −M S − S Mᵀ + 2 D."""
        # e^{−Mt} for M = 1 + a quarter turn: a decay and a rotation.
        decay = exp(-t) * jnp.array([[cos(t), sin(t)], [-sin(t), cos(t)]])
        # The deviation from the covariance that stays decays; at t = 0 this is the initial ½.
        (a, b), (_, c) = decay @ (width * np.eye(2) - still) @ decay.T + still
        (p, q), determinant = jnp.stack([x, y]) - decay @ mean, a * c - b**2
        return exp(-(c * p**2 - 2 * b * p * q + a * q**2) / (2 * determinant)) / (2 * pi * jnp.sqrt(determinant))

    @pde.residual("x y t")
    def fokker_planck(p, x, y, t):
        flow = (x - y) * p.x + (x + y) * p.y + 2 * p
        return p.t - flow - (0.5 * p.xx + 0.2 * p.xy + 0.3 * p.yy)

    return pde.Problem(
        fokker_planck,
        pde.Box([-4, -4], [4, 4]) * pde.Time(0, 1),
        # Not zero: at t = 0 the density is 1e-4 of its largest value at the nearest edge.
        [pde.dirichlet(exact)],
        reference=exact,
        # Positive, as densities are, and `exact` at t = 0 by construction: covariance ½ around (1, 0).
        ansatz=lambda n, x, y, t: exp(t * n - (x - 1) ** 2 - y**2) / pi,
        recipe={"adam": 0, "newton": 60},
    )

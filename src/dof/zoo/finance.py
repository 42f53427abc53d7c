"""Options on several assets."""

import jax.numpy as jnp
import numpy as np
from jax.numpy import exp, log, sqrt
from jax.scipy.stats import norm

import dof
from dof import pde

ASSETS = 5
LOW, HIGH = 0.6, 1.6
RATE, VOLATILITY = 0.05, np.linspace(0.2, 0.4, ASSETS)
CORRELATION = 0.5 + 0.5 * np.eye(ASSETS)
FACTOR = np.linalg.cholesky(CORRELATION).T * VOLATILITY / np.sqrt(2)
"""A = ½ diag(σ s) ρ diag(σ s) = Lᵀ L for L = FACTOR diag(s)."""
VARIANCE = VOLATILITY @ CORRELATION @ VOLATILITY / ASSETS**2
"""Of the logarithm of the geometric mean, which is a mean of normally distributed logarithms."""
CARRY = RATE + VARIANCE / 2 - VOLATILITY @ VOLATILITY / (2 * ASSETS)
"""The rate at which the expected geometric mean grows."""


def black_scholes() -> pde.Problem:
    """The Black–Scholes equation of a call on the geometric mean of 5 correlated assets, with t before it ends."""

    def second_order(z):
        return dof.Factored(jnp.zeros((ASSETS, ASSETS + 1)).at[:, :ASSETS].set(FACTOR * z[:ASSETS]))

    def drift(z):
        # z is (s, t): assets drift with the rate, time does not.
        return RATE * z.at[ASSETS].set(0.0)

    generator = dof.Operator(a=second_order, b=drift, c=-RATE)

    @pde.residual(f"s[{ASSETS}] t")
    def black_scholes(v, s, t):
        return pde.dt(v) - v.apply(generator)

    def ansatz(n, s, t):
        """max(g, 0) at t = 0, and of the order of √t where g = 0, as the value of the option is."""
        # 0.4 is about 1 / √(2π): at g = 0 the value of the option is √(variance · t / 2π) to first order, with n = 0.
        # A tenth of n, so that the sum starts above zero, where the square root has a kink: with n itself one of five
        # seeds ended with an error of 12 %.
        g = _mean(s) * exp((CARRY - RATE) * t) - exp(-RATE * t)
        return g / 2 + sqrt(g**2 / 4 + t * VARIANCE * (0.4 + 0.1 * n) ** 2)

    def features(z):
        """log s and √t, in which the value of the option is a smooth function of one sum and of time; in [−1, 1]."""
        s, t = z[:ASSETS], z[ASSETS:]
        return jnp.concatenate([2 * log(s / LOW) / np.log(HIGH / LOW) - 1, 2 * sqrt(t) - 1])

    return pde.Problem(
        black_scholes,
        # Not from t = 0, where the solution has a kink at mean(s) = 1 and `_exact` divides by zero.
        pde.Box([LOW] * ASSETS, [HIGH] * ASSETS) * pde.Time(0.02, 1),
        [pde.dirichlet(_exact)],
        reference=_exact,
        features=features,
        ansatz=ansatz,
        recipe={"points": 1500, "edge_points": 500, "newton": 80},
    )


def _mean(s):
    """The geometric mean of the assets."""
    return exp(jnp.mean(log(s)))


def _exact(s, t):
    """As for one asset: the geometric mean is log-normal too."""
    spread = sqrt(VARIANCE * t)
    d = (log(_mean(s)) + (CARRY + VARIANCE / 2) * t) / spread
    return _mean(s) * exp((CARRY - RATE) * t) * norm.cdf(d) - exp(-RATE * t) * norm.cdf(d - spread)

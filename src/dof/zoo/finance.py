"""Options on several assets."""

import jax.numpy as jnp
import numpy as np
from jax.numpy import exp, log, sqrt
from jax.scipy.stats import norm

import dof
from dof import pde

ASSETS = 5
LOW, HIGH = 0.6, 1.6


def black_scholes() -> pde.Problem:
    """The Black–Scholes equation of a call on the geometric mean of 5 correlated assets, with t before it ends."""
    rate, volatility = 0.05, np.linspace(0.2, 0.4, ASSETS)
    correlation = 0.5 + 0.5 * np.eye(ASSETS)
    # A = ½ diag(σ s) ρ diag(σ s) = Lᵀ L
    factor = np.linalg.cholesky(correlation).T * volatility / np.sqrt(2)
    # Of the logarithm of the geometric mean, which is a mean of normally distributed logarithms.
    variance = volatility @ correlation @ volatility / ASSETS**2
    carry = rate + variance / 2 - volatility @ volatility / (2 * ASSETS)

    def mean(s):
        return exp(jnp.mean(log(s)))

    def exact(s, t):
        """As for one asset: the geometric mean is log-normal too."""
        spread = sqrt(variance * t)
        d = (log(mean(s)) + (carry + variance / 2) * t) / spread
        return mean(s) * exp((carry - rate) * t) * norm.cdf(d) - exp(-rate * t) * norm.cdf(d - spread)

    def second_order(z):
        return dof.Factored(jnp.zeros((ASSETS, ASSETS + 1)).at[:, :ASSETS].set(factor * z[:ASSETS]))

    def drift(z):
        # z is (s, t): assets drift with the rate, time does not.
        return rate * z.at[ASSETS].set(0.0)

    generator = dof.Operator(a=second_order, b=drift, c=-rate)

    @pde.residual(f"s[{ASSETS}] t")
    def black_scholes(v, s, t):
        return pde.dt(v) - v.apply(generator)

    def ansatz(n, s, t):
        """max(g, 0) at t = 0, and of the order of √t where g = 0, as the value of the option is."""
        # 0.4 is about 1 / √(2π): at g = 0 the value of the option is √(variance · t / 2π) to first order, with n = 0.
        # A tenth of n, so that the sum starts above zero, where the square root has a kink: with n itself one of five
        # seeds ended with an error of 12 %.
        g = mean(s) * exp((carry - rate) * t) - exp(-rate * t)
        return g / 2 + sqrt(g**2 / 4 + t * variance * (0.4 + 0.1 * n) ** 2)

    def features(z):
        """log s and √t, in which the value of the option is a smooth function of one sum and of time; in [−1, 1]."""
        s, t = z[:ASSETS], z[ASSETS:]
        return jnp.concatenate([2 * log(s / LOW) / np.log(HIGH / LOW) - 1, 2 * sqrt(t) - 1])

    return pde.Problem(
        black_scholes,
        # Not from t = 0, where the solution has a kink at mean(s) = 1 and `exact` divides by zero.
        pde.Box([LOW] * ASSETS, [HIGH] * ASSETS) * pde.Time(0.02, 1),
        [pde.dirichlet(exact)],
        reference=exact,
        features=features,
        ansatz=ansatz,
        recipe={"points": 1500, "edge_points": 500, "newton": 80},
    )

"""Black–Scholes for three correlated assets: a dense A(x), given by its factor at each point."""

import jax
import jax.numpy as jnp
import numpy as np

import dof

SIGMA, RATE = np.array([0.2, 0.3, 0.25]), 0.05
CORRELATION = 0.4 + 0.6 * np.eye(3)
FACTOR = np.linalg.cholesky(CORRELATION).T * SIGMA / np.sqrt(2)

# Σ ½ ρ_ij σ_i σ_j s_i s_j ∂²/∂s_i∂s_j + r Σ s_i ∂/∂s_i − r
GENERATOR = dof.Operator(a=lambda s: dof.Factored(FACTOR * s), b=lambda s: RATE * s, c=-RATE)


def power(s):
    """A portfolio whose generator is known: Π s_i^k_i is an eigenfunction."""
    return jnp.prod(s**POWERS)


POWERS = np.array([0.5, 1.0, 1.5])
COVARIANCE = CORRELATION * np.outer(SIGMA, SIGMA)
EIGENVALUE = (POWERS @ COVARIANCE @ POWERS - POWERS @ np.diag(COVARIANCE)) / 2 + RATE * POWERS.sum() - RATE

if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    prices = jax.random.uniform(jax.random.key(0), (1000, 3), minval=0.5, maxval=1.5)
    value, change = jax.jit(jax.vmap(GENERATOR.with_value(power)))(prices)
    print(f"eigenvalue {EIGENVALUE:.6f}, found {jnp.mean(change / value):.6f}")
    np.testing.assert_allclose(change, EIGENVALUE * value, rtol=1e-10)

    W = jax.random.normal(jax.random.key(1), (64, 3))
    network = lambda s: jnp.sum(jnp.tanh(W @ jnp.log(s)))  # noqa: E731
    error = dof.check(GENERATOR, network, prices[0])
    print(error)
    assert jnp.isfinite(GENERATOR(network)(prices[0]))

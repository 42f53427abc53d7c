"""The ground state of hydrogen by variational Monte Carlo: local energies by one propagation of log ψ and ∇ log ψ.

E_loc = −½ (Δ log ψ + |∇ log ψ|²) − 1 / r
"""

import jax
import jax.numpy as jnp
import numpy as np
import optax

import dof


def log_psi(params, x):
    r = jnp.sqrt(x @ x + 1e-12)
    hidden = jnp.tanh(params["in"] @ jnp.stack([r, x @ x / (1 + r)]) + params["bias"])
    return -jax.nn.softplus(params["decay"]) * r + (params["out"] @ hidden) * jnp.exp(-r)


def local_energy(params, x):
    triple = dof.propagate(lambda x: log_psi(params, x), dof.laplacian)(x)
    return -(triple.applied + jnp.sum(triple.tangents**2)) / 2 - 1 / jnp.sqrt(x @ x)


def walk(params, x, key):
    """Ten steps of Metropolis."""

    def move(x, key):
        first, second = jax.random.split(key)
        new = x + 0.6 * jax.random.normal(first, x.shape)
        ratio = jax.vmap(lambda new, old: 2 * (log_psi(params, new) - log_psi(params, old)))(new, x)
        return jnp.where(jnp.log(jax.random.uniform(second, ratio.shape))[:, None] < ratio[:, None], new, x), None

    return jax.lax.scan(move, x, jax.random.split(key, 10))[0]


def loss(params, x):
    """Its gradient is that of the energy: 2 (E_loc − E) ∇ log ψ, averaged."""
    energies = jax.lax.stop_gradient(jax.vmap(lambda x: local_energy(params, x))(x))
    return jnp.mean(2 * (energies - energies.mean()) * jax.vmap(lambda x: log_psi(params, x))(x)), energies.mean()


RULE = optax.adam(optax.cosine_decay_schedule(2e-2, 300))


@jax.jit
def step(params, state, x, key):
    x = walk(params, x, key)
    (_, energy), gradient = jax.value_and_grad(loss, has_aux=True)(params, x)
    change, state = RULE.update(gradient, state)
    return optax.apply_updates(params, change), state, x, energy


if __name__ == "__main__":
    keys = jax.random.split(jax.random.key(0), 304)
    params = {
        "in": jax.random.normal(keys[0], (8, 2)),
        "bias": jnp.zeros(8),
        "out": jnp.zeros(8),
        "decay": jnp.zeros(()),
    }
    state, x, energies = RULE.init(params), jax.random.normal(keys[1], (1000, 3)), []
    for key in keys[4:]:
        params, state, x, energy = step(params, state, x, key)
        energies.append(float(energy))
    found = np.mean(energies[-50:])
    print(f"energy {found:.4f}, exact −0.5")
    assert abs(found + 0.5) < 5e-3

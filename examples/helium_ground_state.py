"""The ground state of helium by variational Monte Carlo, with a small Psiformer.

The energy of ψ is the mean of its local energy E_loc = (H ψ) / ψ over samples of |ψ|². The kinetic part of E_loc needs
the Laplacian of log |ψ| at every sample in every step: `dof.local_kinetic_energy`, in blocks by `dof.batched`.

    python examples/helium_ground_state.py        # three minutes on two cores

The exact energy, without relativity and with a nucleus at rest, is −2.903724 Ha.
"""

import sys

import jax
import jax.flatten_util
import jax.numpy as jnp
import numpy as np

import dof

CHARGE, ELECTRONS, EXACT = 2.0, 2, -2.903724
WIDTH, HEADS, LAYERS, DETERMINANTS = 32, 4, 2, 4
SPINS = np.array([1.0, -1.0])
PROJECTIONS = ("query", "key", "value", "mix", "feed")


def init(key):
    """Weights of the network."""
    keys = iter(jax.random.split(key, 20 * LAYERS))
    orbitals = ELECTRONS * DETERMINANTS

    def dense(i, o):
        return jax.random.normal(next(keys), (i, o)) / np.sqrt(i)

    return {
        "in": dense(5, WIDTH),
        "layers": [{name: dense(WIDTH, WIDTH) for name in PROJECTIONS} for _ in range(LAYERS)],
        "orbitals": dense(WIDTH, orbitals) / 4,
        "decay": jnp.full((ELECTRONS, orbitals), np.sqrt(CHARGE)),
        "jastrow": jnp.ones(()),
    }


def attention(w, h):
    """Every electron looks at every other one."""
    shape = ELECTRONS, HEADS, WIDTH // HEADS
    query, key, value = ((h @ w[name]).reshape(shape) for name in ("query", "key", "value"))
    logits = jnp.einsum("ihd,jhd->hij", query, key) / np.sqrt(WIDTH / HEADS)
    mixed = jnp.einsum("hij,jhd->ihd", jax.nn.softmax(logits), value)
    return mixed.reshape(ELECTRONS, WIDTH) @ w["mix"]


def log_psi(params, x):
    """log |ψ| of a sum of determinants, for x of shape (6,)."""
    r = x.reshape(ELECTRONS, 3)
    length = jnp.linalg.norm(r, axis=1, keepdims=True)
    h = jnp.concatenate([r, length, jnp.asarray(SPINS)[:, None]], axis=1) @ params["in"]
    for layer in params["layers"]:
        h = h + attention(layer, h)
        h = h + jnp.tanh(h @ layer["feed"])
    # The envelope e^{−Zr} has the cusp at the nucleus, the Jastrow factor the one where the electrons meet.
    orbitals = (1 + h @ params["orbitals"]) * jnp.exp(-(params["decay"] ** 2) * length)
    matrices = jnp.moveaxis(orbitals.reshape(ELECTRONS, DETERMINANTS, ELECTRONS), 1, 0)
    sign, log = jnp.linalg.slogdet(matrices)
    apart = jnp.linalg.norm(r[0] - r[1])
    a = params["jastrow"] ** 2
    return jnp.log(jnp.abs(jnp.sum(sign * jnp.exp(log)))) - 0.5 * a**2 / (a + apart)


def local_energy(params, x):
    """(H ψ) / ψ at x."""
    r = x.reshape(ELECTRONS, 3)
    potential = 1 / jnp.linalg.norm(r[0] - r[1]) - CHARGE * jnp.sum(1 / jnp.linalg.norm(r, axis=1))
    return dof.local_kinetic_energy(log_psi, argnums=1)(params, x) + potential


def metropolis(params, x, key, width, steps=20):
    """Move each walker `steps` times by steps of this width, and return also the share of accepted moves."""

    def move(state, key):
        x, log = state
        step_key, accept_key = jax.random.split(key)
        proposed = x + width * jax.random.normal(step_key, x.shape)
        new = jax.vmap(log_psi, (None, 0))(params, proposed)
        accept = jnp.log(jax.random.uniform(accept_key, log.shape)) < 2 * (new - log)
        return (jnp.where(accept[:, None], proposed, x), jnp.where(accept, new, log)), jnp.mean(accept)

    start = x, jax.vmap(log_psi, (None, 0))(params, x)
    (x, _), accepted = jax.lax.scan(move, start, jax.random.split(key, steps))
    return x, jnp.mean(accepted)


@jax.jit
def train_step(params, x, key, width, rate):
    """One step of stochastic reconfiguration, the natural gradient, solved in the space of the samples."""
    x, accepted = metropolis(params, x, key, width)
    energies = dof.batched(local_energy, in_axes=(None, 0))(params, x)
    middle = jnp.median(energies)
    spread = 5 * jnp.mean(jnp.abs(energies - middle))
    clipped = jnp.clip(energies, middle - spread, middle + spread)
    flat, unravel = jax.flatten_util.ravel_pytree(params)
    slopes = jax.vmap(lambda x: jax.grad(lambda p: log_psi(unravel(p), x))(flat))(x)
    centred = (slopes - jnp.mean(slopes, axis=0)) / np.sqrt(len(x))
    residual = (clipped - jnp.mean(clipped)) / np.sqrt(len(x))
    gram = centred @ centred.T + 1e-3 * jnp.eye(len(x))
    change = centred.T @ jax.scipy.linalg.solve(gram, residual, assume_a="pos")
    # A long step leaves the region where the linear model holds.
    length = jnp.linalg.norm(centred @ change)
    flat = flat - rate * change * jnp.minimum(1, 0.1 / (rate * length + 1e-12))
    return unravel(flat), x, accepted, jnp.mean(energies), jnp.std(energies)


@jax.jit
def sample_energies(params, x, key, width):
    """Moved walkers and their local energies."""
    x, _ = metropolis(params, x, key, width)
    return x, dof.batched(local_energy, in_axes=(None, 0))(params, x)


def main(steps=300, walkers=1024, rounds=200, seed=0):
    """Train, then measure the energy with its standard error."""
    params = init(jax.random.key(seed))
    keys = jax.random.split(jax.random.key(seed + 1), steps + rounds + 1)
    x, width = jax.random.normal(keys[-1], (walkers, 3 * ELECTRONS)) / 2, 0.4
    for n in range(steps):
        rate = 0.2 / (1 + n / 100)
        params, x, accepted, energy, spread = train_step(params, x, keys[n], width, rate)
        width *= 1.05 if accepted > 0.5 else 0.95
        if n % 50 == 49 or n == steps - 1:
            print(f"step {n + 1:4}: energy {energy:.4f}, standard deviation of the local energy {spread:.4f}")
    means = np.zeros(walkers)
    for n in range(rounds):
        x, energies = sample_energies(params, x, keys[steps + n], width)
        means += np.asarray(energies, float) / rounds
    # Walkers are independent of each other, their own steps are not: the error is that of the walkers' means.
    energy, error = means.mean(), means.std() / np.sqrt(walkers)
    print(f"energy {energy:.5f} ± {error:.5f} Ha; exact {EXACT}, difference {1000 * (energy - EXACT):.2f} mHa")
    assert energy > EXACT - 4 * error  # no wave function is below the ground state
    assert steps < 300 or abs(energy - EXACT) < 1e-3


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

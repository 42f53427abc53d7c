"""Neural wave functions of the benchmark: energies in blocks, and derivatives in weights and positions of nuclei."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dof
from dof.bench.cases import wave_functions
from oracle import assert_close

ELECTRONS = 4
NETWORKS = {
    "ferminet": partial(wave_functions.ferminet, width=8, pair_width=4),
    "psiformer": partial(wave_functions.psiformer, width=8, heads=2, layers=1),
    "lapnet": partial(wave_functions.psiformer, width=8, heads=2, own_queries=True),
    "backflow": partial(wave_functions.backflow, width=8),
    "periodic": partial(wave_functions.periodic, width=8),
}


def nested_energy(log_psi, x):
    """−½ (Δ log ψ + |∇ log ψ|²) by two nested jvp along each coordinate."""

    def along(direction):
        slope = lambda x: jax.jvp(log_psi, (x,), (direction,))[1]  # noqa: E731
        first, second = jax.jvp(slope, (x,), (direction,))
        return first**2 + second

    return -jnp.sum(jax.vmap(along)(jnp.eye(x.size))) / 2


@pytest.mark.parametrize("name", NETWORKS)
def test_energy_and_gradient_of_its_variance(name):
    network = NETWORKS[name](ELECTRONS)
    rng = np.random.default_rng(0)
    weights, walkers = network.draw(rng), rng.normal(size=(3, 3 * ELECTRONS))

    def variance(energies, weights):
        found = energies(weights, walkers)
        return jnp.var(found), found

    @jax.jit
    def both(weights):
        of_walker = dof.local_kinetic_energy(network.phi, argnums=1)
        nested = jax.vmap(lambda w, x: nested_energy(partial(network.phi, w), x), (None, 0))
        ways = dof.batched(of_walker, in_axes=(None, 0), chunk=2), nested
        return [jax.grad(partial(variance, way), has_aux=True)(weights) for way in ways]

    (found, energies), (expected, nested) = both(weights)
    assert_close(energies, nested, 1e-9)
    assert_close(found, expected, 1e-9)

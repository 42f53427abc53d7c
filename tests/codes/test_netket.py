"""NetKet's kinetic energy and that of dof, for the same samples."""

import importlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

nk = pytest.importorskip("netket")
compat = importlib.import_module("dof.compat.netket")

SPACE = nk.experimental.hilbert.Particle(N=3, geometry=nk.experimental.geometry.FreeSpace(d=2))
MASSES = {"one": 2.0, "for each coordinate": [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]}


def network(variables, x, mutable=False):
    """A complex log ψ of samples (…, 6); it has no variables that change while it is applied."""
    hidden = jnp.tanh(x @ variables["params"]["in"])
    return -jnp.sum(x**2, -1) / 3 + hidden @ variables["params"]["out"]


@pytest.fixture
def state():
    keys = jax.random.split(jax.random.key(0))
    params = {"in": jax.random.normal(keys[0], (6, 8)), "out": jax.random.normal(keys[1], (8,), complex) / 4}
    sampler = nk.sampler.MetropolisGaussian(SPACE, sigma=0.5, n_chains=16)
    apply = {"apply_fun": network, "variables": {"params": params}}
    return nk.vqs.MCState(sampler, n_samples=64, seed=1, sampler_seed=2, **apply)


def assert_same(found, expected):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9), found, expected)


def energies(state, operator):
    return jnp.asarray(state.local_estimators(operator))


@pytest.mark.parametrize("mass", MASSES.values(), ids=MASSES)
def test_local_energies_are_those_of_netket(state, mass):
    found, expected = (energies(state, o.KineticEnergy(SPACE, mass)) for o in (compat, nk.operator))
    assert found.dtype == complex and found.size == 64
    assert_same(found, expected)


def test_a_mass_for_each_particle(state):
    found = energies(state, compat.KineticEnergy(SPACE, [1.0, 2.0, 3.0]))
    assert_same(found, energies(state, nk.operator.KineticEnergy(SPACE, np.repeat([1.0, 2.0, 3.0], 2))))


def test_complex_masses_are_left_to_netket(state):
    found, expected = (energies(state, o.KineticEnergy(SPACE, 1.0 + 0.5j)) for o in (compat, nk.operator))
    assert_same(found, expected)


@pytest.mark.parametrize("chunk_size", [None, 16])
def test_the_energy_and_its_gradient_with_a_potential(state, chunk_size):
    potential = nk.operator.PotentialEnergy(SPACE, lambda x: jnp.sum(x**2) / 2)
    state.chunk_size = chunk_size
    found, expected = (state.expect_and_grad(o.KineticEnergy(SPACE, 1.0) + potential) for o in (compat, nk.operator))
    assert_same((found[0].mean, found[1]), (expected[0].mean, expected[1]))


def test_a_step_of_vmc(state):
    operator = compat.KineticEnergy(SPACE, 1.0) + nk.operator.PotentialEnergy(SPACE, lambda x: jnp.sum(x**2) / 2)
    before = state.expect(operator).mean
    nk.VMC(operator, nk.optimizer.Sgd(0.05), variational_state=state).run(30, show_progress=False)
    assert state.expect(operator).mean.real < before.real


def test_operators_are_equal_if_their_masses_are():
    a, b, c = (compat.KineticEnergy(SPACE, mass) for mass in (1.0, 1.0, 2.0))
    assert a == b and hash(a) == hash(b) and a != c

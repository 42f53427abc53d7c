"""Local energies of DeepQMC's own networks, with its own Laplacian and with that of dof."""

import jax
import numpy as np
import pytest

import dof

hydra = pytest.importorskip("hydra")
omegaconf = pytest.importorskip("omegaconf")
app = pytest.importorskip("deepqmc.app")
pytest.importorskip("deepqmc.conf.custom_resolvers")  # which the configuration refers to

BY_DOF = ["hamil.laplacian_factory._target_=dof.compat.deepqmc.laplacian"]
IN_PLACE_OF_FOLX = [
    "hamil=qc_forward_laplacian",
    "hamil.laplacian_factory._target_=dof.compat.folx.ForwardLaplacianOperator",
]


def local_energy(ansatz, overrides):
    """LiH as the command `deepqmc` builds it: (params, walkers) ↦ energy for one walker, params, six walkers."""
    with hydra.initialize_config_module("deepqmc.conf", version_base=None):
        config = hydra.compose("config", [f"ansatz={ansatz}", "hamil/mol=LiH", *overrides])
    make = lambda part: hydra.utils.instantiate(omegaconf.OmegaConf.to_object(part), _convert_="all")  # noqa: E731
    hamiltonian = make(config.hamil)
    network = app.instantiate_ansatz(hamiltonian, make(config.ansatz))
    walkers = hamiltonian.init_sample(jax.random.key(1), hamiltonian.mol.coords, 6)
    energy = hamiltonian.local_energy(network.apply)
    return lambda params, walker: energy(None, params, walker), network.init(jax.random.key(2), walkers[0]), walkers


@pytest.fixture(scope="module", params=["default", "ferminet", "psiformer"])
def case(request):
    """The name of a network, its weights, walkers, and what DeepQMC's Laplacian gives."""
    energy, params, walkers = local_energy(request.param, [])
    return request.param, params, walkers, jax.jit(jax.vmap(energy, (None, 0)))(params, walkers)


def assert_same(found, expected):
    """Energies to 1e-9, and all that DeepQMC reports of them: kinetic energy, Laplacian, force."""
    assert np.asarray(found[0]).dtype == np.float64
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9), found, expected)


@pytest.mark.parametrize("overrides", [BY_DOF, IN_PLACE_OF_FOLX], ids=["dof", "dof.compat.folx"])
def test_the_local_energy_is_that_of_deepqmc(case, overrides):
    ansatz, params, walkers, expected = case
    energy, _, _ = local_energy(ansatz, overrides)
    assert_same(jax.jit(jax.vmap(energy, (None, 0)))(params, walkers), expected)


def test_in_blocks_and_in_pmap(case):
    ansatz, params, walkers, expected = case
    energy, _, _ = local_energy(ansatz, BY_DOF)
    of_device = jax.pmap(dof.batched(energy, (None, 0), chunk=4), in_axes=(None, 0))
    found = of_device(params, jax.tree.map(lambda leaf: leaf[None], walkers))
    assert_same(jax.tree.map(lambda leaf: leaf[0], found), expected)

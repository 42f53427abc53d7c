"""The weights that training starts from."""

from dataclasses import replace

import jax
import numpy as np
import pytest

import dof
from dof.solving.networks import ACTIVATIONS, BIAS_SPREAD, NETWORKS, mlp
from dof.solving.solver import training_of
from dof.zoo import problem_named


def test_units_of_the_first_layer_bend_at_different_places():
    layers = mlp(2, 1, 100, 2).init(jax.random.key(0))
    first = np.asarray(layers[0][1])
    assert np.abs(first).max() <= BIAS_SPREAD
    # Uniform numbers: their variance is a third of the square of their range.
    np.testing.assert_allclose(first.var(), BIAS_SPREAD**2 / 3, rtol=0.3)
    for _, bias in layers[1:]:
        np.testing.assert_array_equal(bias, 0)


@pytest.mark.parametrize("name", NETWORKS)
def test_other_seeds_make_other_networks(name):
    network, z = NETWORKS[name](3, 1, 8, 2), np.array([0.1, -0.4, 0.8])
    values = [float(network.apply(network.init(jax.random.key(seed)), z)[0]) for seed in range(3)]
    assert np.isfinite(values).all()
    assert len(set(values)) == 3


def test_the_activation_is_the_one_that_is_named():
    z = np.array([0.1, -0.4])
    for name, activation in ACTIVATIONS.items():
        training = training_of("heat", None, {"width": 4, "depth": 1, "activation": name})
        network = training.objective.network
        (matrix, bias), (last, shift) = params = network.init(jax.random.key(0))
        np.testing.assert_allclose(network.apply(params, z), last @ activation(matrix @ z + bias) + shift, rtol=1e-5)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_has_the_activation(name):
    z = np.array([0.1, -0.4, 0.8])
    networks = [NETWORKS[name](3, 1, 8, 2, activation) for activation in ACTIVATIONS]
    params = networks[0].init(jax.random.key(0))
    assert len({float(network.apply(params, z)[0]) for network in networks}) == len(ACTIVATIONS)


def test_an_activation_that_is_not_known_is_refused():
    with pytest.raises(dof.ArgumentError, match="`activation` is 'relu'"):
        dof.solve("heat", activation="relu")


@pytest.mark.parametrize(
    ("name", "value", "fix"),
    [
        ("activation", np.sin, "activation='tanh'"),
        ("points", "many", "points=None"),
        ("adaptive", 3, "adaptive='auto'"),
    ],
)
def test_a_setting_of_another_type_is_refused_with_one_that_runs(name, value, fix):
    with pytest.raises(dof.ArgumentTypeError, match=f"`{name}` is(.|\n)*Fix: {fix}$"):
        dof.solve("heat", **{name: value})


@pytest.mark.parametrize("weight", [2, np.arange(3), 1j])
def test_weights_that_no_step_could_move_are_refused(weight):
    params = {"a": 1.0, "b": weight}
    with pytest.raises(dof.ArgumentTypeError, match=r"`network` has the weights params\['b'\] of type"):
        dof.solve("heat", (params, lambda p, z: p["a"] * z[0]))


def test_a_network_by_name_comes_before_that_of_the_problem():
    own = np.ones(3), lambda weights, features: weights @ features[:1].repeat(3)
    problem = replace(problem_named("heat"), network=own)
    sizes = [
        training_of(problem, given, {"width": 4, "depth": 1} | named).objective.start.size
        for given, named in [(None, {}), (None, {"network": "mlp"}), ("separable", {}), (own, {"network": "mlp"})]
    ]
    assert sizes == [3, 17, 56, 3]

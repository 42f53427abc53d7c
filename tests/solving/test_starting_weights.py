"""The weights that training starts from."""

import jax
import numpy as np
import pytest

from dof.solving.networks import BIAS_SPREAD, NETWORKS, mlp


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

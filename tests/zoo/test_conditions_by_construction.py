"""Boundary conditions that features and an ansatz make hold: for any network u obeys them, as the reference does."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.solving.networks import mlp
from dof.zoo import ZOO

BOTH = ("low", "high")
CONDITIONS = {
    "korteweg-de-vries": [(0, BOTH), (1, ("high",))],
    "kuramoto-sivashinsky": [(0, BOTH), (2, BOTH)],
    "cahn-hilliard": [(1, BOTH), (3, BOTH)],
    "swift-hohenberg": [(1, BOTH), (3, BOTH)],
    "beam": [(0, BOTH), (2, BOTH)],
    "burgers": [(0, BOTH)],
    "allen-cahn": [(1, BOTH)],
    "plate": [(0, BOTH), (1, BOTH)],
}
"""Orders of the derivatives in x that are given, and at which ends of x."""


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_random_network_obeys_the_boundary_conditions(name):
    problem = ZOO[name]()
    network = mlp(problem.feature_count, 1, 8, 1)
    params = network.init(jax.random.key(0))
    u = problem.trial(lambda features: network.apply(params, features)[0])
    low, high = problem.domain.bounds
    others = np.random.default_rng(0).uniform(low[1], high[1], 5)

    @jax.jit
    @jax.vmap
    def difference(z):
        """∂ⁿ(u − reference)/∂xⁿ for n = 0 … 3."""
        off = lambda x: u(jnp.stack([x, z[1]])) - problem.exact(jnp.stack([x, z[1]]))  # noqa: E731
        orders = [off]
        for _ in range(3):
            orders.append(jax.grad(orders[-1]))
        return jnp.stack([of_order(z[0]) for of_order in orders])

    ends = {"low": low[0], "high": high[0]}
    at = {end: difference(np.stack([np.full(5, x), others], axis=1)) for end, x in ends.items()}
    for order, where in CONDITIONS[name]:
        for end in where:
            np.testing.assert_allclose(at[end][:, order], 0.0, atol=1e-8)
    inside = difference(np.stack([np.full(5, (low[0] + 2 * high[0]) / 3), others], axis=1))
    assert np.abs(inside).max() > 1e-2

"""Spectral reference solutions: against a closed form, and against themselves with half the resolution."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.zoo import ZOO
from dof.zoo.periodic_reference import PeriodicReference


def test_burgers_equation_is_solved_as_by_cole_and_hopf():
    viscosity = 0.5
    # u = −2ν φ_x / φ, where φ = 2 + e^{−νt} cos x solves the equation of heat
    exact = lambda x, t, np=jnp: 2 * viscosity * np.sin(x) / (2 * np.exp(viscosity * t) + np.cos(x))  # noqa: E731
    reference = PeriodicReference(
        linear=lambda k: -viscosity * k**2,
        outer=lambda k: -0.5j * k,
        inner=np.square,
        initial=lambda x: exact(x, 0.0, np),
        ends=(-np.pi, np.pi),
        duration=2.0,
        points=64,
        steps=1000,
        degree=40,
    )
    points = np.random.default_rng(0).uniform([-np.pi, 0], [np.pi, 2], (200, 2))
    found, expected = (jax.vmap(lambda z, u=u: u(*z))(points) for u in (reference, exact))
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["kuramoto-sivashinsky", "cahn-hilliard", "swift-hohenberg"])
def test_half_the_resolution_changes_next_to_nothing(name):
    problem = ZOO[name]()
    used = problem.reference
    assert isinstance(used, PeriodicReference)
    coarser = replace(used, points=used.points // 2, steps=used.steps // 2)
    points = problem.domain.inside(np.random.default_rng(1).random((500, 2)))
    coarse, fine = (jax.vmap(lambda z, u=u: u(*z))(points) for u in (coarser, used))
    # The method is of order four in time: what is used is 15 times as close to the solution as to the coarser one.
    np.testing.assert_allclose(coarse, fine, atol=1.5e-10)

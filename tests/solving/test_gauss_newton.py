"""Steps of Gauss–Newton: the linear algebra, and that they go where they should."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.solving.gauss_newton import CORRECTIONS, _corrected, _gram, _solver, gauss_newton_steps, start
from dof.solving.objective import Objective


@pytest.mark.parametrize("shape", [(7, 3), (3, 7)])
def test_the_smaller_matrix_gives_the_same_direction(shape):
    rng, damping = np.random.default_rng(0), 0.1
    jacobian, residuals = jnp.asarray(rng.normal(size=shape)), jnp.asarray(rng.normal(size=shape[0]))
    normal = jacobian.T @ jacobian
    shift = damping * jnp.trace(normal) / shape[1]
    expected = jnp.linalg.solve(normal + shift * jnp.eye(shape[1]), jacobian.T @ residuals)
    np.testing.assert_allclose(_solver(jacobian)(damping)(residuals), expected, rtol=1e-10)


class Curve(Objective):
    """Residuals whose valley bends, as those of Rosenbrock's function."""

    def __init__(self):
        pass

    def residuals(self, theta, batch, weights):
        x, y = theta
        return (jnp.stack([10 * (y - x**2), 1 - x]),)

    def residuals_and_jacobian(self, theta, batch, weights):
        return self.residuals(theta, batch, weights), jax.jacfwd(lambda t: self.residuals(t, batch, weights)[0])(theta)


def test_a_bent_valley_is_followed_to_its_end():
    first = jnp.array([-1.2, 1.0])
    theta, _, losses = gauss_newton_steps(Curve(), first, start(first), (), jnp.ones(1), 30)
    np.testing.assert_allclose(theta, 1.0, atol=1e-8)
    assert (np.diff(losses[:, 0]) <= 0).all()


def test_a_step_to_what_is_no_number_is_not_taken():
    class Cliff(Curve):
        def residuals(self, theta, batch, weights):
            return (jnp.where(theta > 0.5, jnp.nan, 1 - theta),)

    first = jnp.array([0.0])
    theta, damping, losses = gauss_newton_steps(Cliff(), first, start(first), (), jnp.ones(1), 5)
    assert np.isfinite(losses).all() and theta[0] <= 0.5 and damping > start(first)


def test_larger_dampings_are_tried_with_one_jacobian_until_the_loss_is_lower():
    """From x = 3 the first step of arctan x = 0 overshoots; without trials it would be in vain."""

    class Arctan(Curve):
        def residuals(self, theta, batch, weights):
            return (jnp.arctan(theta),)

    first = jnp.array([3.0])
    theta, damping, losses = gauss_newton_steps(Arctan(), first, jnp.asarray(0.1), (), jnp.ones(1), 1)
    assert abs(theta[0]) < 3 and damping > 0.1
    np.testing.assert_allclose(losses[0, 0], jnp.arctan(theta[0]) ** 2)


def test_below_the_diagonal_the_gram_matrix_is_whole():
    matrix = jnp.asarray(np.random.default_rng(0).normal(size=(5, 11)))
    np.testing.assert_allclose(jnp.tril(_gram(matrix)), jnp.tril(matrix.T @ matrix), rtol=1e-12)


def test_corrections_that_become_shorter_are_all_taken():
    # Each correction takes nine tenths of what is left of the way to 1.
    found = _corrected(lambda theta: 0.9 * (theta - 1), jnp.array([1.5]), jnp.array([10.0]))
    np.testing.assert_allclose(found, 1 + 0.5 * 0.1**CORRECTIONS)


def test_a_correction_that_is_not_shorter_is_not_taken():
    # The first overshoots to the other side, the second would be as long as the first.
    found = _corrected(lambda theta: 2 * (theta - 1), jnp.array([1.5]), jnp.array([10.0]))
    np.testing.assert_allclose(found, 0.5)

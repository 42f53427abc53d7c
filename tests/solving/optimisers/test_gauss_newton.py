"""Steps of Gauss–Newton: the linear algebra, and that they go where they should."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dof.solving.loss.objective import Objective
from dof.solving.optimisers.damped_solver import SMALL, damped_solver, gram
from dof.solving.optimisers.damped_step import CORRECTIONS, FIRST_DAMPING, _corrected
from dof.solving.optimisers.gauss_newton import (
    MOST_RISE,
    DampingAndLastStep,
    _is_good,
    damped_no_more,
    gauss_newton_steps,
    start,
)


@pytest.mark.parametrize("shape", [(7, 3), (3, 7)])
def test_the_smaller_matrix_gives_the_same_direction(shape):
    rng, damping = np.random.default_rng(0), 0.1
    jacobian, residuals = jnp.asarray(rng.normal(size=shape)), jnp.asarray(rng.normal(size=shape[0]))
    normal = jacobian.T @ jacobian
    shift = damping * jnp.trace(normal) / shape[1]
    expected = jnp.linalg.solve(normal + shift * jnp.eye(shape[1]), jacobian.T @ residuals)
    np.testing.assert_allclose(damped_solver(jacobian, damping)(damping)(residuals), expected, rtol=1e-10)


@pytest.mark.parametrize("damping", [1e-10, 0.9 * SMALL, 1e-15, 1e-18])
def test_small_damping_is_as_exact_as_by_singular_values(damping):
    # Singular values over ten decades, of which the product of J with itself keeps eight.
    rng = np.random.default_rng(0)
    left, right = (np.linalg.qr(rng.normal(size=(n, 40)))[0] for n in (60, 40))
    values = np.logspace(0, -10, 40)
    jacobian, residuals = left * values @ right.T, left @ values + 1e-9 * rng.normal(size=60)
    damped = values**2 + damping * np.sum(values**2) / 40
    expected = right @ (values * (left.T @ residuals) / damped)
    found = damped_solver(jnp.asarray(jacobian), damping)(damping)(jnp.asarray(residuals))
    # What is least certain is where λ counts as much as the singular value; the residual does not feel it.
    np.testing.assert_allclose(found, expected, rtol=0, atol=0.05 * np.linalg.norm(expected))
    np.testing.assert_allclose(jacobian @ found, jacobian @ expected, rtol=0, atol=1e-10)


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
    theta, _, losses, _ = gauss_newton_steps(Curve(), first, start(first), ((),), jnp.ones(1), 30, 30)
    np.testing.assert_allclose(theta, 1.0, atol=1e-8)
    assert (losses[1:, 0] <= MOST_RISE * losses[:-1, 0]).all()


@pytest.mark.parametrize(
    ("step", "last", "after", "is_good"),
    [
        ([1.0, 0.0], [0.0, 0.0], 0.9, True),
        ([1.0, 0.0], [-1.0, 0.0], 0.9, True),
        ([1.0, 0.0], [0.0, 0.0], 1.1, False),
        ([1.0, 0.0], [2.0, 0.0], 9.0, True),
        ([1.0, 0.0], [2.0, 0.0], 11.0, False),
        ([1.0, 0.0], [-2.0, 0.0], 1.1, False),
        ([1.0, 0.0], [0.5, np.sqrt(0.75)], 3.9, True),  # the cosine is a half: up to four times as much
        ([1.0, 0.0], [0.5, np.sqrt(0.75)], 4.1, False),
        ([1.0, 0.0], [2.0, 0.0], np.nan, False),
        ([np.nan, 0.0], [2.0, 0.0], np.nan, False),
    ],
)
def test_a_step_may_raise_the_loss_where_it_goes_on_in_the_same_direction(step, last, after, is_good):
    found = _is_good(jnp.array(last), jnp.inf, jnp.array(step), jnp.asarray(1.0), jnp.asarray(after))
    assert bool(found) is is_good


@pytest.mark.parametrize(("lowest", "after", "is_good"), [(0.5, 4.9, True), (0.5, 5.1, False), (0.05, 0.9, True)])
def test_no_step_ends_far_above_the_lowest_loss_unless_it_goes_down(lowest, after, is_good):
    ahead = jnp.array([1.0, 0.0])
    assert bool(_is_good(ahead, jnp.asarray(lowest), ahead, jnp.asarray(1.0), jnp.asarray(after))) is is_good


def test_rises_in_one_direction_do_not_multiply():
    """A slope that the Jacobian has with the wrong sign: each step goes on in the direction of the last, and up."""

    class Wrong(Curve):
        def residuals(self, theta, batch, weights):
            return (jnp.exp(theta),)

        def residuals_and_jacobian(self, theta, batch, weights):
            return self.residuals(theta, batch, weights), -jnp.diag(jnp.exp(theta))

    first = jnp.array([0.0])
    begun = DampingAndLastStep(jnp.asarray(FIRST_DAMPING), jnp.array([1.0]))
    _, _, losses, _ = gauss_newton_steps(Wrong(), first, begun, ((),), jnp.ones(1), 40, 40)
    assert losses[-1, 0] > losses[0, 0] > 1
    assert losses[-1, 0] <= MOST_RISE


def test_the_state_has_the_last_step_that_was_taken():
    first = jnp.array([-1.2, 1.0])
    before, state, _, _ = gauss_newton_steps(Curve(), first, start(first), ((),), jnp.ones(1), 3, 3)
    theta, after, _, _ = gauss_newton_steps(Curve(), before, state, ((),), jnp.ones(1), 1, 1)
    np.testing.assert_allclose(after.last, theta - before)


@pytest.mark.parametrize(("damping", "after"), [(1e-12, 1e-12), (1e3, FIRST_DAMPING)])
def test_with_other_points_steps_are_damped_no_more_than_at_the_start(damping, after):
    state = DampingAndLastStep(jnp.asarray(damping), jnp.ones(1))
    assert damped_no_more(state) == DampingAndLastStep(after, jnp.ones(1))


def test_what_is_reported_is_the_lowest():
    first = jnp.array([-1.2, 1.0])
    _, _, losses, (lowest, its_losses) = gauss_newton_steps(Curve(), first, start(first), ((),), jnp.ones(1), 7, 7)
    assert its_losses[0] == losses[:, 0].min()
    np.testing.assert_allclose(jnp.sum(Curve().residuals(lowest, (), None)[0] ** 2), its_losses[0])


def test_fewer_steps_than_there_may_be_are_the_same():
    first = jnp.array([-1.2, 1.0])
    theta, _, losses, _ = gauss_newton_steps(Curve(), first, start(first), ((),), jnp.ones(1), 4, 4)
    same, _, more, _ = gauss_newton_steps(Curve(), first, start(first), ((),), jnp.ones(1), jnp.asarray(4), 6)
    np.testing.assert_array_equal(same, theta)
    np.testing.assert_array_equal(more, np.pad(losses, [(0, 2), (0, 0)], constant_values=np.nan))


def test_a_step_to_what_is_no_number_is_not_taken():
    class Cliff(Curve):
        def residuals(self, theta, batch, weights):
            return (jnp.where(theta > 0.5, jnp.nan, 1 - theta),)

    first = jnp.array([0.0])
    theta, state, losses, _ = gauss_newton_steps(Cliff(), first, start(first), ((),), jnp.ones(1), 5, 5)
    assert np.isfinite(losses).all() and theta[0] <= 0.5 and state.damping > start(first).damping


def test_larger_dampings_are_tried_with_one_jacobian_until_the_loss_is_lower():
    """From x = 3 the first step of arctan x = 0 overshoots; without trials it would be in vain."""

    class Arctan(Curve):
        def residuals(self, theta, batch, weights):
            return (jnp.arctan(theta),)

    first = jnp.array([3.0])
    begun = DampingAndLastStep(jnp.asarray(0.1), jnp.zeros(1))
    theta, state, losses, _ = gauss_newton_steps(Arctan(), first, begun, ((),), jnp.ones(1), 1, 1)
    assert abs(theta[0]) < 3 and state.damping > 0.1
    np.testing.assert_allclose(losses[0, 0], jnp.arctan(theta[0]) ** 2)


def test_below_the_diagonal_the_gram_matrix_is_whole():
    matrix = jnp.asarray(np.random.default_rng(0).normal(size=(5, 11)))
    np.testing.assert_allclose(jnp.tril(gram(matrix)), jnp.tril(matrix.T @ matrix), rtol=1e-12)


def test_corrections_that_become_shorter_are_all_taken():
    # Each correction takes nine tenths of what is left of the way to 1.
    found = _corrected(lambda theta: 0.9 * (theta - 1), jnp.array([1.5]), jnp.array([10.0]))
    np.testing.assert_allclose(found, 1 + 0.5 * 0.1**CORRECTIONS)


def test_a_correction_that_is_not_shorter_is_not_taken():
    # The first overshoots to the other side, the second would be as long as the first.
    found = _corrected(lambda theta: 2 * (theta - 1), jnp.array([1.5]), jnp.array([10.0]))
    np.testing.assert_allclose(found, 0.5)
